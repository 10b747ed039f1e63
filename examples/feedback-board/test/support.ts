import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { migrate } from "../src/db/migrate.ts";
import { IN_MEMORY, openDatabase, type Database } from "../src/db/open.ts";
import { startSession } from "../src/http/session.ts";
import { silentLog } from "../src/log.ts";
import { hashPassword } from "../src/users/passwords.ts";
import { createUser, type Role, type User } from "../src/users/store.ts";

export interface Answer {
  status: number;
  type: string;
  text: string;
  body: any;
}

export interface TestApp {
  db: Database;
  time: { now: Date };
  call(method: string, path: string, options?: { token?: string; body?: unknown }): Promise<Answer>;
  signIn(name: string, role?: Role): { user: User; token: string };
}

export function openTestDatabase(): Database {
  const db = openDatabase(IN_MEMORY);
  migrate(db);
  return db;
}

/** A whole service on a free port with a database in memory and a clock that stands still. */
export async function startApp(t: TestContext): Promise<TestApp> {
  const db = openTestDatabase();
  const time = { now: new Date("2026-03-02T09:00:00Z") };
  const clock = () => time.now;
  const server = createServer(createApp({ db, clock, config: readConfig({}), log: silentLog }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.closeAllConnections();
    server.close();
    db.close();
  });

  return {
    db,
    time,
    async call(method, path, { token, body } = {}) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: token ? { authorization: `Bearer ${token}` } : {},
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const type = response.headers.get("content-type") ?? "";
      const text = await response.text();
      return {
        status: response.status,
        type,
        text,
        body: type.startsWith("application/json") ? JSON.parse(text) : null,
      };
    },
    signIn(name, role = "member") {
      const passwordHash = hashPassword(name);
      const user = createUser(db, { email: `${name}@board.test`, name, role, passwordHash }, time.now);
      const token = startSession(db, user.id, new Date(time.now.getTime() + 3_600_000));
      return { user, token };
    },
  };
}
