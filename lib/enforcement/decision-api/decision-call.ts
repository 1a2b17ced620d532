import type { RequestHead } from '@/lib/http/request-head';

/**
 * A call of the decision API, apart from how it came: through a route handler of Next, or through the decision path
 * of `server.mjs`, which spares it the `Request` and the `Response`.
 */
export interface DecisionCall extends RequestHead {
  /** Path and query as they were sent. */
  readonly target: string;
  /** Reads the body; null when it is larger than `limit` bytes. To be called once. */
  read(limit: number): Promise<Uint8Array | null>;
}
