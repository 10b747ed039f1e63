import type { Database } from "../db/open.ts";

export type Role = "member" | "moderator";

export interface User {
  id: number;
  email: string;
  name: string;
  role: Role;
}

export interface NewUser {
  email: string;
  name: string;
  role: Role;
  passwordHash: string;
}

export function createUser(db: Database, user: NewUser, now: Date): User {
  const row = db
    .prepare(
      `INSERT INTO users (email, name, role, password_hash, created_at)
       VALUES (?, ?, ?, ?, ?) RETURNING *`,
    )
    .get(user.email, user.name, user.role, user.passwordHash, now.toISOString());
  return userFromRow(row!);
}

/** The user with this address and the stored hash, or null. */
export function findByEmail(
  db: Database,
  email: string,
): { user: User; passwordHash: string } | null {
  const row = db.prepare("SELECT * FROM users WHERE email = ?").get(email);
  if (!row) return null;
  return { user: userFromRow(row), passwordHash: String(row["password_hash"]) };
}

export function userFromRow(row: Record<string, unknown>): User {
  return {
    id: Number(row["id"]),
    email: String(row["email"]),
    name: String(row["name"]),
    role: row["role"] === "moderator" ? "moderator" : "member",
  };
}
