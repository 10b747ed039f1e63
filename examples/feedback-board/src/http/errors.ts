/** An answer other than success, thrown from anywhere below a route. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const badRequest = (message: string) => new HttpError(400, "bad-request", message);
export const unauthorized = () => new HttpError(401, "unauthorized", "sign in first");
export const forbidden = (message: string) => new HttpError(403, "forbidden", message);
export const notFound = (what: string) => new HttpError(404, "not-found", `no such ${what}`);
export const tooMany = (message: string) => new HttpError(429, "too-many", message);
