import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimit } from "../src/limits/rate-limit.ts";

test("each key has its own window", () => {
  let now = 0;
  const limit = new RateLimit(2, 1000, () => new Date(now));
  assert.deepEqual([limit.allow("a"), limit.allow("a"), limit.allow("a")], [true, true, false]);
  assert.equal(limit.allow("b"), true);
  now = 1000;
  assert.equal(limit.allow("a"), true);
});
