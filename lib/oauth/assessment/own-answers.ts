import type { Exchange } from '@/lib/oauth/assessment/exchange';

/** Headers that differ between answers of one server, or describe the body. */
const VARIABLE =
  /^(date|age|etag|expires|last-modified|content-.*|connection|keep-alive|transfer-encoding|vary|location|set-cookie|link|www-authenticate|.*-id|.*(runtime|time|timing)|cf-.*)$/;
/** Headers that something in front of a server often adds to every answer. */
const ADDED_BY_PROXIES =
  /^(server|via|alt-svc|nel|report-to|strict-transport-security|x-(frame-options|content-type-options|xss-protection|powered-by|cache.*|served-by)|referrer-policy|permissions-policy|cross-origin-.*)$/;

/**
 * Recognises the answers of the server itself by their headers, at each endpoint. A firewall in front of it does not send
 * the headers that the answers to valid requests have there.
 */
export class OwnAnswers {
  readonly #seen = new Map<string, Set<string>>();

  /** Records the headers of an answer to a request that succeeded. */
  recordAnswer(exchange: Exchange): void {
    const headers = describeHeaders(exchange);
    if (headers === null) return;
    const place = locate(exchange);
    this.#seen.set(place, (this.#seen.get(place) ?? new Set()).add(headers));
  }

  /** Returns whether an answer has the same headers, some of them its own, as a success at the same endpoint. */
  isOwn(exchange: Exchange): boolean {
    const headers = describeHeaders(exchange);
    return headers !== null && (this.#seen.get(locate(exchange))?.has(headers) ?? false);
  }
}

function locate({ request }: Exchange): string {
  const { origin, pathname } = new URL(request.url);
  return `${request.method} ${origin}${pathname}`;
}

/** Returns the stable headers of an answer in one text, or null if none of them is of the server itself. */
function describeHeaders({ response }: Exchange): string | null {
  const headers = response.headers.filter(([name]) => !VARIABLE.test(name));
  if (headers.every(([name]) => ADDED_BY_PROXIES.test(name))) return null;
  return headers
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n');
}
