import type { IncomingMessage, ServerResponse } from "node:http";
import { addBoardRoutes } from "./boards/routes.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/open.ts";
import { HttpError, notFound } from "./http/errors.ts";
import { json, Router, type Reply } from "./http/router.ts";
import type { Log } from "./log.ts";
import { addPostRoutes } from "./posts/routes.ts";
import { addUserRoutes } from "./users/routes.ts";

/** What every group of routes may use. */
export interface Services {
  db: Database;
  clock: Clock;
  config: Config;
  log: Log;
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The whole service as one request listener; it opens no port and no file. */
export function createApp(services: Services): Listener {
  const router = new Router();
  router.add("GET", "/health", () => json(200, { ok: true }));
  addUserRoutes(router, services);
  addBoardRoutes(router, services);
  addPostRoutes(router, services);

  return async (request, response) => {
    const reply = await answer(router, request).catch((error) => failure(error, services.log));
    response.statusCode = reply.status;
    if (reply.type !== "") response.setHeader("content-type", reply.type);
    response.end(reply.body);
  };
}

async function answer(router: Router, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const found = router.find(request.method ?? "GET", url.pathname);
  if (!found) throw notFound("address");
  return found.handler({ request, params: found.params, query: url.searchParams });
}

function failure(error: unknown, log: Log): Reply {
  if (error instanceof HttpError) {
    return json(error.status, { code: error.code, message: error.message });
  }
  log.error("request failed", { error: String(error) });
  return json(500, { code: "internal", message: "something went wrong on our side" });
}
