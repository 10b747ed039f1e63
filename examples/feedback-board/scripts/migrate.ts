import { readConfig } from "../src/config.ts";
import { migrate } from "../src/db/migrate.ts";
import { openDatabase } from "../src/db/open.ts";

const db = openDatabase(readConfig(process.env).databasePath);
const applied = migrate(db);
db.close();
console.log(applied.length === 0 ? "nothing to do" : `applied ${applied.join(", ")}`);
