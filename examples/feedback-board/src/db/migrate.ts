import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inTransaction, type Database } from "./open.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "migrations");

/** Applies the files of migrations/ that have not run yet, in the order of their names. */
export function migrate(db: Database, folder: string = FOLDER): string[] {
  db.exec("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT");
  const applied: string[] = [];
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".sql")).sort()) {
    const script = readFileSync(join(folder, name), "utf8");
    const ran = inTransaction(db, () => {
      // Asked inside the transaction: the other server process may be migrating too.
      if (db.prepare("SELECT 1 FROM migrations WHERE name = ?").get(name)) return false;
      db.exec(script);
      db.prepare("INSERT INTO migrations (name) VALUES (?)").run(name);
      return true;
    });
    if (ran) applied.push(name);
  }
  return applied;
}
