import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "./support.ts";

test("a password opens a session, and signing out ends it", async (t) => {
  const app = await startApp(t);
  app.signIn("ada");
  const opened = await app.call("POST", "/sessions", {
    body: { email: "ada@board.test", password: "ada" },
  });
  assert.equal(opened.status, 201);
  const { token } = opened.body;
  assert.equal((await app.call("GET", "/me", { token })).body.name, "ada");
  assert.equal((await app.call("DELETE", "/sessions/current", { token })).status, 204);
  assert.equal((await app.call("GET", "/me", { token })).status, 401);
});

test("a wrong password and an unknown address get the same answer", async (t) => {
  const app = await startApp(t);
  app.signIn("ada");
  for (const email of ["ada@board.test", "eve@board.test"]) {
    const answer = await app.call("POST", "/sessions", { body: { email, password: "guess" } });
    assert.deepEqual([answer.status, answer.body.code], [401, "unauthorized"]);
  }
});

test("a session ends when its time is over", async (t) => {
  const app = await startApp(t);
  const { token } = app.signIn("ada");
  app.time.now = new Date(app.time.now.getTime() + 3_600_001);
  assert.equal((await app.call("GET", "/me", { token })).status, 401);
});
