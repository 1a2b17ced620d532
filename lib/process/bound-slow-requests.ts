import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';

const REQUEST_STARTED = 'http.server.request.start';

/**
 * Sets the time limits of the HTTP server of this process, in milliseconds. Without `server.mjs` the server belongs to
 * Next, which does not pass it on. So they apply from its first request on. Node.js answers 408.
 */
export function boundSlowRequests(limits: Pick<Server, 'headersTimeout' | 'requestTimeout'>): void {
  const apply = (message: unknown) => {
    unsubscribe(REQUEST_STARTED, apply);
    Object.assign((message as { server: Server }).server, limits);
  };
  subscribe(REQUEST_STARTED, apply);
}
