import { badRequest } from "../http/errors.ts";

export const STATUSES = ["open", "planned", "started", "shipped", "declined"] as const;

export type Status = (typeof STATUSES)[number];

export interface NewPost {
  title: string;
  body: string;
}

export function parseNewPost(input: Record<string, unknown>): NewPost {
  return { title: textField(input, "title", 120), body: textField(input, "body", 8000) };
}

export function parseStatus(value: unknown): Status {
  const found = STATUSES.find((status) => status === value);
  if (!found) throw badRequest(`status must be one of ${STATUSES.join(", ")}`);
  return found;
}

/** A text of 1 to `max` characters, trimmed. */
export function textField(input: Record<string, unknown>, name: string, max: number): string {
  const value = input[name];
  if (typeof value !== "string") throw badRequest(`${name} must be a text`);
  const text = value.trim();
  if (text === "" || text.length > max) {
    throw badRequest(`${name} must have 1 to ${max} characters`);
  }
  return text;
}
