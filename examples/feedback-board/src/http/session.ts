import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/open.ts";
import { userFromRow, type Role, type User } from "../users/store.ts";
import { forbidden, unauthorized } from "./errors.ts";
import type { Context } from "./router.ts";

/** Starts a session and returns its token, which is never stored in the clear. */
export function startSession(db: Database, userId: number, expires: Date): string {
  const token = randomBytes(32).toString("base64url");
  db.prepare("INSERT INTO sessions (token_hash, user_id, expires_at) VALUES (?, ?, ?)").run(
    hashToken(token),
    userId,
    expires.toISOString(),
  );
  return token;
}

export function endSession(db: Database, token: string): void {
  db.prepare("DELETE FROM sessions WHERE token_hash = ?").run(hashToken(token));
}

/** The signed-in user, or a 401. */
export function requireUser(db: Database, clock: Clock, context: Context): User {
  const row = db
    .prepare(
      `SELECT users.* FROM sessions JOIN users ON users.id = sessions.user_id
       WHERE sessions.token_hash = ? AND sessions.expires_at > ?`,
    )
    .get(hashToken(bearerToken(context)), clock().toISOString());
  if (!row) throw unauthorized();
  return userFromRow(row);
}

/** The signed-in user if they have the role, else a 403. */
export function requireRole(db: Database, clock: Clock, context: Context, role: Role): User {
  const user = requireUser(db, clock, context);
  if (user.role !== role) throw forbidden(`this needs the role ${role}`);
  return user;
}

export function bearerToken(context: Context): string {
  const header = context.request.headers.authorization ?? "";
  if (!header.startsWith("Bearer ")) throw unauthorized();
  return header.slice("Bearer ".length);
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
