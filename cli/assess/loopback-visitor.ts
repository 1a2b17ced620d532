import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildLoopbackPage, NEXT_PATH } from '@/cli/assess/loopback-page';
import { createUsageFailure } from '@/cli/failure';
import { FORM_POST_MARK } from '@/lib/contract/callback';
import type { WantedVisit } from '@/lib/oauth/assessment/target';
import type { Millis } from '@/lib/units';

/** Maximum size of an answer, in bytes. */
const LONGEST = 65_536;
/** Time within which an open page polls; after that a new window is opened. */
const PAGE_ASKS_WITHIN: Millis = 3_000;
/** Duration of the page's long poll. */
const PAGE_WAITS: Millis = 20_000;

/** The page has no next address yet. */
const ASK_AGAIN = '{}';

/** True if a browser can come back to this machine (RFC 8252 section 7.3). */
export function isLoopback(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

/**
 * Redirect URI of a client on this machine. A person's browser opens the server once. Its window then comes back here
 * and opens each further visit automatically.
 */
export class LoopbackVisitor {
  #open: { wanted: WantedVisit; isSent: boolean; end: (back: string | null) => void } | undefined;
  #waiting: ((next: string) => void) | undefined;
  #hasPage = false;
  #isOver = false;

  private constructor(
    readonly redirectUri: string,
    readonly server: Server,
    readonly openWindow: (visit: WantedVisit) => void,
  ) {
    server.on('request', (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /**
   * Listens at the redirect URI. An IP address without a port gets a free one, because servers accept any port (RFC
   * 8252 section 7.3).
   * @param openWindow opens a browser, or asks the person to
   * @throws Failure if the port is in use
   */
  static async listen(redirectUri: string, openWindow: (visit: WantedVisit) => void): Promise<LoopbackVisitor> {
    const url = new URL(redirectUri);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? (host === 'localhost' ? 80 : 0) : Number(url.port);
    const server = createServer();
    await new Promise<void>((done, fail) => {
      server.once('error', (fault: NodeJS.ErrnoException) =>
        fail(
          createUsageFailure(
            `${redirectUri} cannot be listened on (${fault.code}).`,
            'Give another --redirect-uri, registered at the server.',
          ),
        ),
      );
      server.listen(port, host, done);
    });
    if (port === 0) url.port = String((server.address() as AddressInfo).port);
    return new LoopbackVisitor(port === 0 ? url.href : redirectUri, server, openWindow);
  }

  /** True if a page is polling for its next address. */
  get isAwaited(): boolean {
    return this.#waiting !== undefined;
  }

  /**
   * Opens the server in a browser and returns the address it came back to. Null after `close`, or if `signal` is
   * aborted.
   */
  async visit(wanted: WantedVisit, signal: AbortSignal): Promise<string | null> {
    if (this.#isOver || signal.aborted) return null;
    const stop = () => this.#open?.end(null);
    const back = new Promise<string | null>((resolve) => {
      this.#open = { wanted, isSent: false, end: resolve };
    });
    signal.addEventListener('abort', stop, { once: true });
    this.#notifyPage();
    if (this.#hasPage) await Promise.race([back, sleep(PAGE_ASKS_WITHIN, undefined, { ref: false })]);
    if (this.#open?.wanted === wanted && !this.#open.isSent) {
      this.#open.isSent = true;
      this.openWindow(wanted);
    }
    try {
      return await back;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#open = undefined;
    }
  }

  /** Ends the open visit, releases the page, and stops listening. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#open?.end(null);
    this.#waiting?.(JSON.stringify({ done: true }));
    const closed = new Promise((done) => this.server.close(done));
    this.server.closeIdleConnections();
    await Promise.race([closed, sleep(500)]);
    this.server.closeAllConnections();
  }

  #notifyPage(): void {
    if (this.#open === undefined || this.#open.isSent || this.#waiting === undefined) return;
    this.#open.isSent = true;
    this.#waiting(JSON.stringify({ url: this.#open.wanted.url }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const own = new URL(this.redirectUri);
    const { pathname, search } = new URL(request.url ?? '/', own.origin);
    // Rejects host names that resolve to this machine (DNS rebinding).
    if (request.headers.host !== own.host) return end(response, 421);
    if (pathname === NEXT_PATH && request.method === 'GET') return this.#answerNext(response);
    if (pathname !== own.pathname) return end(response, 404);
    if (request.method === 'GET') {
      if (search !== '') this.endVisit(`${own.origin}${pathname}${search}`);
      return this.#show(response, search !== '');
    }
    if (request.method !== 'POST') return end(response, 405, { Allow: 'GET, POST' });
    const text = await readBody(request);
    if (text === null) return end(response, 413);
    if (/^text\/plain\b/.test(request.headers['content-type'] ?? '')) {
      this.endVisit(`${own.origin}${pathname}#${text}`);
      return end(response, 204);
    }
    this.endVisit(`${own.origin}${pathname}?${new URLSearchParams(text)}${FORM_POST_MARK}`);
    this.#show(response, true);
  }

  /** Ends the open visit with the address that the browser came back to, or null if it did not. */
  endVisit(address: string | null): void {
    this.#open?.end(address);
  }

  #show(response: ServerResponse, taken: boolean): void {
    this.#hasPage = true;
    const { body, headers } = buildLoopbackPage(taken, randomBytes(16).toString('base64url'));
    response.writeHead(200, headers).end(body);
  }

  async #answerNext(response: ServerResponse): Promise<void> {
    this.#waiting?.(ASK_AGAIN);
    const next = await new Promise<string>((resolve) => {
      if (this.#isOver) return resolve(JSON.stringify({ done: true }));
      this.#waiting = resolve;
      setTimeout(resolve, PAGE_WAITS, ASK_AGAIN).unref();
      response.once('close', () => {
        // The window was closed.
        if (!response.writableEnded && this.#waiting === resolve) this.#hasPage = false;
        resolve(ASK_AGAIN);
      });
      this.#notifyPage();
    }).finally(() => {
      this.#waiting = undefined;
    });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(next);
  }
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

/** Returns null if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > LONGEST) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
