export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** One JSON object a line on stderr, so that any collector can read it. */
export const stderrLog: Log = {
  info: (message, fields) => write("info", message, fields),
  error: (message, fields) => write("error", message, fields),
};

export const silentLog: Log = { info: () => {}, error: () => {} };

function write(level: string, message: string, fields: Record<string, unknown> = {}): void {
  const entry = { time: new Date().toISOString(), level, message, ...fields };
  process.stderr.write(JSON.stringify(entry) + "\n");
}
