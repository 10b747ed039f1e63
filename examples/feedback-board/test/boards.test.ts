import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "./support.ts";

test("only a moderator creates boards", async (t) => {
  const app = await startApp(t);
  const body = { slug: "product", title: "Product ideas" };
  const member = app.signIn("bob").token;
  const moderator = app.signIn("ada", "moderator").token;
  assert.equal((await app.call("POST", "/boards", { body })).status, 401);
  assert.equal((await app.call("POST", "/boards", { body, token: member })).status, 403);
  assert.equal((await app.call("POST", "/boards", { body, token: moderator })).status, 201);
  assert.equal((await app.call("POST", "/boards", { body, token: moderator })).status, 409);
  assert.equal((await app.call("GET", "/boards")).body.boards.length, 1);
});
