import type { Database } from "../db/open.ts";

export interface Board {
  id: number;
  slug: string;
  title: string;
}

export function createBoard(db: Database, slug: string, title: string): Board {
  const row = db
    .prepare("INSERT INTO boards (slug, title) VALUES (?, ?) RETURNING *")
    .get(slug, title);
  return boardFromRow(row!);
}

export function listBoards(db: Database): Board[] {
  return db.prepare("SELECT * FROM boards ORDER BY slug").all().map(boardFromRow);
}

export function findBoard(db: Database, slug: string): Board | null {
  const row = db.prepare("SELECT * FROM boards WHERE slug = ?").get(slug);
  return row ? boardFromRow(row) : null;
}

function boardFromRow(row: Record<string, unknown>): Board {
  return { id: Number(row["id"]), slug: String(row["slug"]), title: String(row["title"]) };
}
