import { createServer } from "node:http";
import { createApp } from "./app.ts";
import { systemClock } from "./clock.ts";
import { readConfig } from "./config.ts";
import { migrate } from "./db/migrate.ts";
import { openDatabase } from "./db/open.ts";
import { stderrLog } from "./log.ts";

const config = readConfig(process.env);
const db = openDatabase(config.databasePath);
const applied = migrate(db);
if (applied.length > 0) stderrLog.info("migrated", { applied });

const server = createServer(createApp({ db, clock: systemClock, config, log: stderrLog }));
server.listen(config.port, () => stderrLog.info("listening", { port: config.port }));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(() => db.close());
    server.closeIdleConnections();
  });
}
