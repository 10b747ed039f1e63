import type { IncomingMessage } from "node:http";
import { badRequest, HttpError } from "./errors.ts";

const MAX_BYTES = 64 * 1024;

/** Reads a JSON object from the request; anything else, or too much of it, is refused. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new HttpError(413, "too-large", "the body is over 64 KiB");
    chunks.push(chunk);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw badRequest("the body is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("the body must be a JSON object");
  }
  return value as Record<string, unknown>;
}
