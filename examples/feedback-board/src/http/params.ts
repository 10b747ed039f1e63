import { badRequest } from "./errors.ts";
import type { Context } from "./router.ts";

/** The numeric id in the path, for example of /posts/:id. */
export function idParam(context: Context, name: string): number {
  const value = Number(context.params[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw badRequest(`${name} must be a number`);
  return value;
}

/** A number of the query between `low` and `high`, or `fallback` when it is not given. */
export function numberQuery(
  context: Context,
  name: string,
  range: { low: number; high: number; fallback: number },
): number {
  const text = context.query.get(name);
  if (text === null) return range.fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < range.low || value > range.high) {
    throw badRequest(`${name} must be between ${range.low} and ${range.high}`);
  }
  return value;
}
