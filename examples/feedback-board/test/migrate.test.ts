import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrate } from "../src/db/migrate.ts";
import { IN_MEMORY, openDatabase } from "../src/db/open.ts";

test("each file runs once, in order", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "002_row.sql"), "INSERT INTO things VALUES (1);");
  writeFileSync(join(folder, "001_table.sql"), "CREATE TABLE things (id INTEGER);");
  const db = openDatabase(IN_MEMORY);
  assert.deepEqual(migrate(db, folder), ["001_table.sql", "002_row.sql"]);
  assert.deepEqual(migrate(db, folder), []);
});

test("a broken file changes nothing", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "001_bad.sql"), "CREATE TABLE things (id INTEGER); NONSENSE;");
  const db = openDatabase(IN_MEMORY);
  assert.throws(() => migrate(db, folder));
  assert.equal(db.prepare("SELECT count(*) AS n FROM migrations").get()?.["n"], 0);
  assert.equal(db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'things'").get(), undefined);
});
