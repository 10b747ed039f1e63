export interface Config {
  port: number;
  databasePath: string;
  sessionHours: number;
  postsPerMinute: number;
}

type Variables = Record<string, string | undefined>;

/** Reads the settings and stops at the first one that makes no sense. */
export function readConfig(variables: Variables): Config {
  return {
    port: positiveInteger(variables, "PORT", 8080),
    databasePath: variables["DATABASE_PATH"] ?? "data/board.sqlite",
    sessionHours: positiveInteger(variables, "SESSION_HOURS", 72),
    postsPerMinute: positiveInteger(variables, "POSTS_PER_MINUTE", 5),
  };
}

function positiveInteger(variables: Variables, name: string, fallback: number): number {
  const text = variables[name];
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0) {
    throw new Error(`${name} must be a positive whole number, not "${text}"`);
  }
  return value;
}
