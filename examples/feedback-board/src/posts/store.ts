import type { Database } from "../db/open.ts";
import type { NewPost, Status } from "./validate.ts";

export interface Post {
  id: number;
  boardId: number;
  authorId: number;
  title: string;
  body: string;
  status: Status;
  createdAt: string;
  updatedAt: string;
}

export interface PostQuery {
  boardId: number;
  status: Status | null;
  /** Only posts with a smaller id: the last id of the page before. */
  before: number | null;
  limit: number;
}

export function createPost(
  db: Database,
  boardId: number,
  authorId: number,
  post: NewPost,
  now: Date,
): Post {
  const row = db
    .prepare(
      `INSERT INTO posts (board_id, author_id, title, body, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
    )
    .get(boardId, authorId, post.title, post.body, now.toISOString(), now.toISOString());
  return postFromRow(row!);
}

export function findPost(db: Database, id: number): Post | null {
  const row = db.prepare("SELECT * FROM posts WHERE id = ?").get(id);
  return row ? postFromRow(row) : null;
}

/** Newest first. */
export function listPosts(db: Database, query: PostQuery): Post[] {
  return db
    .prepare(
      `SELECT * FROM posts
       WHERE board_id = :board
         AND (:status IS NULL OR status = :status)
         AND (:before IS NULL OR id < :before)
       ORDER BY id DESC LIMIT :limit`,
    )
    .all({
      board: query.boardId,
      status: query.status,
      before: query.before,
      limit: query.limit,
    })
    .map(postFromRow);
}

export function setStatus(db: Database, id: number, status: Status, now: Date): Post | null {
  const row = db
    .prepare("UPDATE posts SET status = ?, updated_at = ? WHERE id = ? RETURNING *")
    .get(status, now.toISOString(), id);
  return row ? postFromRow(row) : null;
}

function postFromRow(row: Record<string, unknown>): Post {
  return {
    id: Number(row["id"]),
    boardId: Number(row["board_id"]),
    authorId: Number(row["author_id"]),
    title: String(row["title"]),
    body: String(row["body"]),
    status: row["status"] as Status,
    createdAt: String(row["created_at"]),
    updatedAt: String(row["updated_at"]),
  };
}
