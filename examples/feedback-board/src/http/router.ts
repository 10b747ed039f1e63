import type { IncomingMessage } from "node:http";

export interface Context {
  request: IncomingMessage;
  params: Record<string, string>;
  query: URLSearchParams;
}

export interface Reply {
  status: number;
  type: string;
  body: string;
}

export type Handler = (context: Context) => Reply | Promise<Reply>;

interface Route {
  method: string;
  segments: string[];
  handler: Handler;
}

export function json(status: number, value: unknown): Reply {
  return { status, type: "application/json; charset=utf-8", body: JSON.stringify(value) };
}

export function noContent(): Reply {
  return { status: 204, type: "", body: "" };
}

/** Maps a method and a path such as /posts/:id to a handler. The first match wins. */
export class Router {
  #routes: Route[] = [];

  add(method: string, pattern: string, handler: Handler): void {
    this.#routes.push({ method, segments: split(pattern), handler });
  }

  find(method: string, path: string): { handler: Handler; params: Record<string, string> } | null {
    const actual = split(path);
    for (const route of this.#routes) {
      if (route.method !== method) continue;
      const params = matchSegments(route.segments, actual);
      if (params) return { handler: route.handler, params };
    }
    return null;
  }
}

function split(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function matchSegments(pattern: string[], actual: string[]): Record<string, string> | null {
  if (pattern.length !== actual.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const value = actual[index] ?? "";
    if (segment.startsWith(":")) params[segment.slice(1)] = value;
    else if (segment !== value) return null;
  }
  return params;
}
