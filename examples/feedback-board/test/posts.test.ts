import assert from "node:assert/strict";
import { test } from "node:test";
import { createBoard } from "../src/boards/store.ts";
import { startApp } from "./support.ts";

test("a post is written, listed and given a status", async (t) => {
  const app = await startApp(t);
  createBoard(app.db, "product", "Product ideas");
  const { token } = app.signIn("bob");
  const moderator = app.signIn("ada", "moderator").token;
  const body = { title: " Dark mode ", body: "My eyes." };
  const created = await app.call("POST", "/boards/product/posts", { token, body });
  assert.deepEqual([created.status, created.body.title], [201, "Dark mode"]);

  const path = `/posts/${created.body.id}/status`;
  const planned = { status: "planned" };
  assert.equal((await app.call("PATCH", path, { token, body: planned })).status, 403);
  assert.equal((await app.call("PATCH", path, { token: moderator, body: planned })).status, 200);

  const listed = await app.call("GET", "/boards/product/posts?status=planned");
  assert.deepEqual(listed.body.posts.map((post: { title: string }) => post.title), ["Dark mode"]);
});

test("pages go back in time", async (t) => {
  const app = await startApp(t);
  createBoard(app.db, "product", "Product ideas");
  const { token } = app.signIn("bob");
  for (const title of ["one", "two", "three"]) {
    await app.call("POST", "/boards/product/posts", { token, body: { title, body: "." } });
  }
  const first = await app.call("GET", "/boards/product/posts?limit=2");
  assert.deepEqual(first.body.posts.map((post: { id: number }) => post.id), [3, 2]);
  const second = await app.call("GET", "/boards/product/posts?limit=2&before=2");
  assert.deepEqual(second.body.posts.map((post: { id: number }) => post.id), [1]);
});

test("what is not a post is refused", async (t) => {
  const app = await startApp(t);
  createBoard(app.db, "product", "Product ideas");
  const { token } = app.signIn("bob");
  for (const body of [{}, { title: "", body: "." }, { title: "x".repeat(121), body: "." }, [1]]) {
    const answer = await app.call("POST", "/boards/product/posts", { token, body });
    assert.equal(answer.status, 400, JSON.stringify(body));
  }
  assert.equal((await app.call("GET", "/posts/1")).status, 404);
  assert.equal((await app.call("GET", "/boards/nowhere/posts")).status, 404);
});

test("the sixth post within a minute is refused", async (t) => {
  const app = await startApp(t);
  createBoard(app.db, "product", "Product ideas");
  const { token } = app.signIn("bob");
  const send = () =>
    app.call("POST", "/boards/product/posts", { token, body: { title: "again", body: "." } });
  for (let n = 0; n < 5; n += 1) assert.equal((await send()).status, 201);
  assert.equal((await send()).status, 429);
  app.time.now = new Date(app.time.now.getTime() + 60_000);
  assert.equal((await send()).status, 201);
});
