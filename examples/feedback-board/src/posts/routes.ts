import type { Services } from "../app.ts";
import { findBoard, type Board } from "../boards/store.ts";
import { readJson } from "../http/body.ts";
import { notFound, tooMany } from "../http/errors.ts";
import { idParam, numberQuery } from "../http/params.ts";
import { json, type Context, type Router } from "../http/router.ts";
import { requireRole, requireUser } from "../http/session.ts";
import { RateLimit } from "../limits/rate-limit.ts";
import { createPost, findPost, listPosts, setStatus } from "./store.ts";
import { parseNewPost, parseStatus } from "./validate.ts";

const PAGE = { low: 1, high: 100, fallback: 20 };
const ANY_ID = { low: 1, high: Number.MAX_SAFE_INTEGER, fallback: Number.MAX_SAFE_INTEGER };

export function addPostRoutes(router: Router, { db, clock, config }: Services): void {
  const perUser = new RateLimit(config.postsPerMinute, 60_000, clock);

  const boardOf = (context: Context): Board => {
    const board = findBoard(db, context.params["board"] ?? "");
    if (!board) throw notFound("board");
    return board;
  };

  router.add("GET", "/boards/:board/posts", (context) => {
    const status = context.query.get("status");
    const posts = listPosts(db, {
      boardId: boardOf(context).id,
      status: status === null ? null : parseStatus(status),
      before: numberQuery(context, "before", ANY_ID),
      limit: numberQuery(context, "limit", PAGE),
    });
    return json(200, { posts });
  });

  router.add("POST", "/boards/:board/posts", async (context) => {
    const user = requireUser(db, clock, context);
    const board = boardOf(context);
    if (!perUser.allow(String(user.id))) throw tooMany("too many posts, wait a minute");
    const post = parseNewPost(await readJson(context.request));
    return json(201, createPost(db, board.id, user.id, post, clock()));
  });

  router.add("GET", "/posts/:id", (context) => {
    const post = findPost(db, idParam(context, "id"));
    if (!post) throw notFound("post");
    return json(200, post);
  });

  router.add("PATCH", "/posts/:id/status", async (context) => {
    requireRole(db, clock, context, "moderator");
    const id = idParam(context, "id");
    const { status } = await readJson(context.request);
    const post = setStatus(db, id, parseStatus(status), clock());
    if (!post) throw notFound("post");
    return json(200, post);
  });
}
