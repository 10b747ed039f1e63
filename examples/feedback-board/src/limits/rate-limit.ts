import type { Clock } from "../clock.ts";

const MAX_KEYS = 10_000;

/** Allows `limit` events per key in any `windowMs`. Counts in this process only. */
export class RateLimit {
  #limit: number;
  #windowMs: number;
  #clock: Clock;
  #seen = new Map<string, number[]>();

  constructor(limit: number, windowMs: number, clock: Clock) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  allow(key: string): boolean {
    const now = this.#clock().getTime();
    const recent = (this.#seen.get(key) ?? []).filter((time) => now - time < this.#windowMs);
    const allowed = recent.length < this.#limit;
    if (allowed) recent.push(now);
    // Deleted and set again, so that the oldest key stands first and is the one to go.
    this.#seen.delete(key);
    this.#seen.set(key, recent);
    if (this.#seen.size > MAX_KEYS) {
      const oldest = this.#seen.keys().next().value;
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return allowed;
  }
}
