import type { Services } from "../app.ts";
import { readJson } from "../http/body.ts";
import { badRequest, HttpError } from "../http/errors.ts";
import { json, type Router } from "../http/router.ts";
import { requireRole } from "../http/session.ts";
import { createBoard, findBoard, listBoards } from "./store.ts";

const SLUG = /^[a-z][a-z0-9-]{1,39}$/;

export function addBoardRoutes(router: Router, { db, clock }: Services): void {
  router.add("GET", "/boards", () => json(200, { boards: listBoards(db) }));

  router.add("POST", "/boards", async (context) => {
    requireRole(db, clock, context, "moderator");
    const { slug, title } = await readJson(context.request);
    if (typeof slug !== "string" || !SLUG.test(slug)) throw badRequest("slug is not usable");
    if (typeof title !== "string" || title.trim() === "") throw badRequest("title is missing");
    if (findBoard(db, slug)) throw new HttpError(409, "taken", "this slug is taken");
    return json(201, createBoard(db, slug, title.trim()));
  });
}
