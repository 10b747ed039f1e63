import assert from "node:assert/strict";
import { test } from "node:test";
import { json, Router } from "../src/http/router.ts";

test("a parameter takes one segment", () => {
  const router = new Router();
  router.add("GET", "/posts/:id", () => json(200, {}));
  assert.deepEqual(router.find("GET", "/posts/7")?.params, { id: "7" });
  assert.equal(router.find("GET", "/posts/7/votes"), null);
  assert.equal(router.find("POST", "/posts/7"), null);
});

test("the first match wins", () => {
  const router = new Router();
  const first = () => json(200, "first");
  router.add("GET", "/posts/:id", first);
  router.add("GET", "/posts/new", () => json(200, "second"));
  assert.equal(router.find("GET", "/posts/new")?.handler, first);
});
