import { getDomain } from 'tldts';
import { CookieJar } from 'tough-cookie';
import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { type FilledForm, fillConsentForm } from '@/lib/oauth/assessment/fill-forms';
import { readPage } from '@/lib/oauth/assessment/shown-page';

/** Sends one request of the browser and records it. */
type Send = (label: string, url: string, init: RequestInit) => Promise<Exchange>;

interface OpenOptions {
  redirectUri: string;
  /** Addresses of all clients. With them, pages of other programs on the same machine are followed. */
  clients?: readonly string[];
  /** Submits pages that only ask for consent. The person who gave the session has agreed to this client before. */
  agree: boolean;
}

/** Label of the request that agrees on a page of consent. */
export const AGREE_LABEL = 'Agree again';

/** Maximum redirects. A normal login has fewer. */
const MAX_STEPS = 12;

/** The simulated browser of an assessment, with its cookies: the given ones, and those that servers set later. */
export class BrowserSession {
  readonly #jar = new CookieJar(null, { rejectPublicSuffixes: false, allowSpecialUseDomain: true, looseMode: true });

  /** @param header the Cookie header of a signed-in browser, for the server at `url` */
  constructor(url: string, header = '') {
    for (const cookie of header.split(/;\s*/).filter((text) => text.includes('='))) {
      this.#jar.setCookieSync(`${cookie}; Path=/`, url, { ignoreError: true });
    }
  }

  /** Opens an address and follows redirects within its site, as a browser does, until the redirect URI. */
  async open(send: Send, label: string, address: string, options: OpenOptions): Promise<Exchange> {
    return this.#follow(send, await this.#request(send, label, address, {}), options);
  }

  /** Submits a form of a page. @param follow whether and how to follow the answer */
  async submit(send: Send, label: string, form: FilledForm, follow: OpenOptions | null): Promise<Exchange> {
    const exchange = await this.#request(send, label, form.action, { method: 'POST', body: form.body });
    return follow === null ? exchange : this.#follow(send, exchange, follow);
  }

  async #follow(send: Send, first: Exchange, options: OpenOptions): Promise<Exchange> {
    let exchange = first;
    for (let step = 0; step < MAX_STEPS; step++) {
      const next = this.#findNextStep(exchange, options);
      if (next === null) return exchange;
      exchange = await this.#request(send, next.label, next.url, next.init);
    }
    return exchange;
  }

  #findNextStep(exchange: Exchange, { redirectUri, clients, agree }: OpenOptions) {
    const { status } = exchange.response;
    const isInside = (url: string) =>
      isSameSite(url, exchange.request.url) ||
      (clients?.every((client) => !url.startsWith(client)) === true && isSameMachine(url, exchange.request.url));
    const location = findResponseHeader(exchange, 'location');
    if (status >= 300 && status < 400 && location !== null) {
      if (!URL.canParse(location, exchange.request.url)) return null;
      const { href } = new URL(location, exchange.request.url);
      if (href.startsWith(redirectUri) || !isInside(href)) return null;
      const again = status === 307 || status === 308;
      const init = again ? { method: exchange.request.method, body: exchange.request.body || null } : {};
      return { label: 'Follow the redirect', url: href, init };
    }
    const form = agree ? fillConsentForm(readPage(exchange)) : null;
    if (form === null || form.action.startsWith(redirectUri) || !isInside(form.action)) return null;
    return { label: AGREE_LABEL, url: form.action, init: { method: 'POST', body: form.body } };
  }

  async #request(send: Send, label: string, url: string, init: RequestInit): Promise<Exchange> {
    const cookie = this.#jar.getCookieStringSync(url);
    // Browsers name the page of a form. Some servers refuse a POST without it.
    const origin: Record<string, string> = init.method === 'POST' ? { origin: new URL(url).origin } : {};
    const headers = { accept: 'text/html', ...origin, ...(cookie === '' ? {} : { cookie }) };
    const exchange = await send(label, url, { ...init, headers });
    for (const [name, value] of exchange.response.headers) {
      if (name === 'set-cookie') this.#jar.setCookieSync(value, url, { ignoreError: true });
    }
    return exchange;
  }
}

/** Returns whether two addresses belong to one site: the same host, or the same registrable domain. */
function isSameSite(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (!/^https?:$/.test(first.protocol)) return false;
  return first.host === second.host || (getDomain(one) !== null && getDomain(one) === getDomain(other));
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns whether two addresses are of one machine, at any port. Pages may be those of another program on it. */
function isSameMachine(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (!/^https?:$/.test(first.protocol)) return false;
  return first.hostname === second.hostname || [first, second].every(({ hostname }) => LOOPBACK.has(hostname));
}
