import type { Services } from "../app.ts";
import { readJson } from "../http/body.ts";
import { badRequest, unauthorized } from "../http/errors.ts";
import { json, noContent, type Router } from "../http/router.ts";
import { bearerToken, endSession, requireUser, startSession } from "../http/session.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";
import { findByEmail } from "./store.ts";

// Compared against when the address is unknown, so that both answers take the same time.
const NOBODY = hashPassword("nobody");

export function addUserRoutes(router: Router, { db, clock, config }: Services): void {
  router.add("POST", "/sessions", async ({ request }) => {
    const { email, password } = await readJson(request);
    if (typeof email !== "string" || typeof password !== "string") {
      throw badRequest("email and password are needed");
    }
    const found = findByEmail(db, email);
    const matches = verifyPassword(password, found?.passwordHash ?? NOBODY);
    if (!found || !matches) throw unauthorized();
    const expires = new Date(clock().getTime() + config.sessionHours * 3_600_000);
    const token = startSession(db, found.user.id, expires);
    return json(201, { token, expires: expires.toISOString(), user: found.user });
  });

  router.add("DELETE", "/sessions/current", (context) => {
    requireUser(db, clock, context);
    endSession(db, bearerToken(context));
    return noContent();
  });

  router.add("GET", "/me", (context) => json(200, requireUser(db, clock, context)));
}
