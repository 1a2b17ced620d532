import { decodeJwt, decodeProtectedHeader } from 'jose';
import { replaceRanges, SecretFinder, withoutOverlaps } from '@/lib/logging/secret-finder';
import {
  BODY_LIMIT,
  type EvidenceToken,
  type Exchange,
  type ReceivedResponse,
  type SentRequest,
} from '@/lib/oauth/assessment/exchange';
import { fromForm, kindOfField, type SecretPlace, secretPlaces } from '@/lib/oauth/assessment/secret-places';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';

/** What a probe makes up itself and is shorter than this is a word (`not-the-secret`), no secret. */
const SHORTEST_OF_PROBE = 16;
/** How much of a token stays readable, and how much more of it there must be. */
const SHOWN = 8;
const SHORTEST_SHOWN = 24;
/** Kinds of which the first characters are shown. */
const TOKEN = /token$|assertion$|proof$/;
/** An `error` or `code` that names a fault, not an authorization code. */
const FAULT_NAME = /^(?:[a-z]+(?:[_.-][a-z]+)*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|\d{1,5})$/;
const CREDENTIALS = /^(basic|bearer|dpop)( +)(.+)$/i;
/** How deep addresses within parameters and claims within tokens are looked into. */
const DEEPEST = 3;
const LARGEST_JWT = 16_384;

type Part = 'request' | 'response';

/** A secret under a name of its own. */
interface Named {
  name: string;
  placeholder: string;
}

interface Range {
  start: number;
  end: number;
  text: string;
}

/**
 * What must not leave the server of one run of probes, by value: what the target was described with (client secrets,
 * cookies) and what appears while it runs (codes, tokens, cookies, code verifiers, ...), from the moment it appears. Each
 * secret is replaced by the same name everywhere, such as `[code 1]` or `[access token 2: eyJhbGci…]`, so that evidence
 * still shows where the same one was used. Values shorter than four characters cannot be told from ordinary text: they
 * are replaced where a secret is expected, and not looked for elsewhere.
 */
export class EvidenceSecrets {
  readonly #finder = new SecretFinder();
  readonly #names = new Map<string, Named>();
  readonly #counts = new Map<string, number>();

  constructor(target: Pick<AssessmentTarget, 'client' | 'otherClient' | 'nativeClient' | 'session'>) {
    for (const client of [target.client, target.otherClient, target.nativeClient]) {
      if (client === undefined || client.secret === null || client.secret === '') continue;
      this.#learn('client secret', client.secret);
      // Too short to be found in it, and there for everybody to decode.
      const { placeholder } = this.#nameOf('client secret', client.secret);
      for (const text of basicCredentials(client.id, client.secret)) this.#alias(text, placeholder);
    }
    for (const [name, value] of Object.entries(target.session)) {
      if (name.toLowerCase() === 'cookie') this.#learnCookies(value);
      else this.#learn('session', value);
    }
  }

  /** Learns what a request carries. */
  learnFromRequest({ url, headers, body }: SentRequest): void {
    for (const [name, value] of headers) this.#learnHeader(name, value, 'request', 0);
    this.#learnText(url, 'request', 0);
    this.#learnText(body, 'request', 0);
  }

  /** Learns what an answer carries: it may be repeated anywhere from now on. */
  learnFromResponse({ status, headers, body }: ReceivedResponse): void {
    for (const [name, value] of headers) this.#learnHeader(name, value, 'response', status);
    this.#learnText(body, 'response', status);
    for (const text of textsIn(body)) this.#learnText(text, 'response', status);
  }

  /** An exchange as it may be kept, streamed and exported. */
  redactExchange({ request, response, tokens: _, ...rest }: Exchange): Exchange {
    const jwts = new Map<string, string>();
    const text = (plain: string, status = 0, limit?: number) => this.#redact(plain, status, jwts, limit);
    const header = ([name, value]: [string, string], status: number): [string, string] => [
      text(name),
      this.#redactHeader(name, value, status, jwts),
    ];
    const redacted: Exchange = {
      ...rest,
      request: {
        method: request.method,
        url: text(request.url),
        headers: request.headers.map((pair) => header(pair, 0)),
        body: text(request.body),
      },
      response: {
        status: response.status,
        headers: response.headers.map((pair) => header(pair, response.status)),
        body: text(response.body, response.status, BODY_LIMIT),
      },
    };
    const tokens = [...jwts].flatMap(([jwt, name]) => this.#readToken(jwt, name) ?? []);
    return tokens.length === 0 ? redacted : { ...redacted, tokens };
  }

  /** Evidence that was redacted before, without the secrets that were learned since. */
  hideAgain(exchange: Exchange): Exchange {
    const pair = ([name, value]: [string, string]): [string, string] => [this.#hide(name), this.#hide(value)];
    const { request, response, tokens } = exchange;
    return {
      ...exchange,
      request: {
        ...request,
        url: this.#hide(request.url),
        headers: request.headers.map(pair),
        body: this.#hide(request.body),
      },
      response: { ...response, headers: response.headers.map(pair), body: this.#hide(response.body) },
      ...(tokens === undefined ? {} : { tokens: tokens.map((token) => this.#hideInToken(token)) }),
    };
  }

  /** A sentence that may quote the target. */
  redactText(text: string): string {
    return this.#redact(text, 400, new Map());
  }

  #learn(kind: string, value: string): void {
    const before = this.#finder.size;
    if (!this.#finder.add(value) || this.#finder.size === before) return;
    const { placeholder } = this.#nameOf(kind, value);
    // Frameworks decode what they have been sent before they repeat it.
    const decoded = fromForm(value);
    if (decoded !== value) this.#alias(decoded, placeholder);
    // With a signature that is known, other claims can be tried.
    const [, , signature] = value.startsWith('eyJ') ? value.split('.') : [];
    if (signature !== undefined && signature.length >= SHORTEST_OF_PROBE) this.#alias(signature, placeholder);
  }

  /** Another text for the same secret. */
  #alias(text: string, placeholder: string): void {
    if (this.#finder.add(text) && !this.#names.has(text)) this.#names.set(text, { name: '', placeholder });
  }

  #nameOf(kind: string, value: string): Named {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = kind === 'client secret' && count === 1 ? kind : `${kind} ${count}`;
    const start = value.slice(0, SHOWN);
    const shown =
      TOKEN.test(kind) &&
      value.length >= SHORTEST_SHOWN &&
      /^[\w.~-]+$/.test(start) &&
      this.#finder.find(start).length === 0;
    const named = { name, placeholder: shown ? `[${name}: ${start}…]` : `[${name}]` };
    this.#names.set(value, named);
    return named;
  }

  #learnHeader(name: string, value: string, part: Part, status: number): void {
    if (name === 'cookie') this.#learnCookies(value);
    else if (name === 'set-cookie') this.#learnCookies(value.split(';', 1)[0] ?? '');
    else if (name === 'dpop') this.#learn('DPoP proof', value);
    else if (name === 'authorization') {
      const [, scheme = '', , credentials = ''] = CREDENTIALS.exec(value) ?? [];
      if (scheme.toLowerCase() !== 'basic') this.#learnGiven('token', credentials, part);
    } else if (kindOfField(name) !== null) this.#learnGiven(kindOfField(name) ?? '', value, part);
    else this.#learnText(value, part, status);
  }

  #learnCookies(header: string): void {
    for (const pair of header.split(';')) {
      const value = pair.slice(pair.indexOf('=') + 1).trim();
      const bare = /^"(.*)"$/.exec(value)?.[1] ?? value;
      this.#learn('cookie', bare);
    }
  }

  #learnGiven(kind: string, value: string, part: Part): void {
    if (part === 'response' || value.length >= SHORTEST_OF_PROBE) this.#learn(kind, value);
  }

  #learnText(text: string, part: Part, status: number, depth = 0): void {
    for (const place of secretPlaces(text)) {
      if (!isFaultName(place, status)) this.#learnGiven(place.kind, place.value, part);
    }
    if (depth >= DEEPEST || !text.includes('%')) return;
    // Addresses travel within parameters of others.
    for (const [, value = ''] of text.matchAll(/=([^&\s"'<>#]*%3[dD][^&\s"'<>#]*)/g)) {
      this.#learnText(fromForm(value), part, status, depth + 1);
    }
  }

  #redactHeader(name: string, value: string, status: number, jwts: Map<string, string>): string {
    const whole = (kind: string, secret: string) => this.#place(kind, secret, jwts);
    if (name === 'cookie')
      return value
        .split(';')
        .map((pair) => this.#redactCookie(pair, jwts))
        .join(';');
    if (name === 'set-cookie') {
      const [pair = '', ...attributes] = value.split(';');
      const rest = attributes.map((attribute) => this.#redact(attribute, status, jwts));
      return [this.#redactCookie(pair, jwts), ...rest].join(';');
    }
    if (name === 'dpop') return whole('DPoP proof', value);
    if (name === 'authorization') {
      const [, scheme = '', space = '', credentials = ''] = CREDENTIALS.exec(value) ?? [];
      if (scheme.toLowerCase() === 'basic') return `${scheme}${space}${this.#redactBasic(credentials, jwts)}`;
      return scheme === '' ? whole('token', value) : `${scheme}${space}${whole('token', credentials)}`;
    }
    const kind = kindOfField(name);
    return kind === null ? this.#redact(value, status, jwts) : whole(kind, value);
  }

  #redactCookie(pair: string, jwts: Map<string, string>): string {
    const at = pair.indexOf('=');
    if (at < 0) return this.#redact(pair, 0, jwts);
    const value = pair.slice(at + 1).trim();
    const bare = /^"(.*)"$/.exec(value)?.[1] ?? value;
    const name = this.#redact(pair.slice(0, at), 0, jwts);
    return `${name}=${bare === '' ? '' : this.#place('cookie', bare, jwts)}`;
  }

  /** The name of the client stays (RFC 6749 section 2.3.1). */
  #redactBasic(credentials: string, jwts: Map<string, string>): string {
    const plain = Buffer.from(credentials, 'base64').toString('utf8');
    const at = plain.indexOf(':');
    if (at < 0) return '[credentials]';
    const secret = fromForm(plain.slice(at + 1));
    return `[${this.#redact(plain.slice(0, at), 0, jwts)}:${this.#place('client secret', secret, jwts)}]`;
  }

  /** The name of a secret that stands in a place where secrets do. */
  #place(kind: string, value: string, jwts: Map<string, string>): string {
    const { name, placeholder } = this.#nameOf(kind, value);
    if (value.startsWith('eyJ') && name !== '') jwts.set(value, name);
    return placeholder;
  }

  #redact(text: string, status: number, jwts: Map<string, string>, limit?: number): string {
    if (text === '') return text;
    const ranges: Range[] = [];
    for (const place of secretPlaces(text)) {
      if (isFaultName(place, status)) continue;
      ranges.push({ start: place.start, end: place.end, text: this.#place(place.kind, place.value, jwts) });
    }
    for (const { start, end, secret } of this.#finder.find(text)) {
      const named = this.#names.get(secret);
      ranges.push({ start, end, text: named?.placeholder ?? '[secret]' });
      if (secret.startsWith('eyJ') && named !== undefined && named.name !== '') jwts.set(secret, named.name);
    }
    return replaceRanges(text, withoutOverlaps(ranges), limit);
  }

  #hide(text: string): string {
    return this.#finder.hide(text, (secret) => this.#names.get(secret)?.placeholder ?? '[secret]');
  }

  #readToken(jwt: string, name: string): EvidenceToken | null {
    if (jwt.length > LARGEST_JWT) return null;
    try {
      const header: unknown = decodeProtectedHeader(jwt);
      return { name, header: this.#redactJson(header), claims: this.#redactJson(claimsOf(jwt)) };
    } catch {
      return null;
    }
  }

  #redactJson(value: unknown): unknown {
    return mapStrings(value, (text, name) => {
      const kind = name === null ? null : kindOfField(name);
      return kind === null ? this.#redact(text, 0, new Map()) : this.#nameOf(kind, text).placeholder;
    });
  }

  #hideInToken({ name, header, claims }: EvidenceToken): EvidenceToken {
    const hide = (value: unknown) => mapStrings(value, (text) => this.#hide(text));
    return { name, header: hide(header), claims: hide(claims) };
  }
}

/** Claims of a JWS; those of a JWE are encrypted. */
function claimsOf(jwt: string): unknown {
  try {
    return decodeJwt(jwt);
  } catch {
    return null;
  }
}

/** RFC 6749 section 2.3.1 puts forms into HTTP Basic; many clients do not. */
function basicCredentials(id: string, secret: string): string[] {
  const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return [`${id}:${secret}`, `${form(id)}:${form(secret)}`].flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    return [bytes.toString('base64'), bytes.toString('base64url')];
  });
}

function isFaultName({ kind, value }: SecretPlace, status: number): boolean {
  return kind === 'code' && status >= 400 && FAULT_NAME.test(value);
}

/** The texts in a JSON body that has escapes, without them. */
function textsIn(body: string): string[] {
  if (!body.includes('\\') || !/^\s*[[{]/.test(body)) return [];
  const texts: string[] = [];
  try {
    mapStrings(JSON.parse(body), (text) => {
      texts.push(text);
      return text;
    });
  } catch {
    return [];
  }
  return texts;
}

const DEEPEST_JSON = 64;

/** A copy of a JSON value with its strings changed; `change` is given the name of the member, null in arrays. */
function mapStrings(
  value: unknown,
  change: (text: string, name: string | null) => string,
  name: string | null = null,
  depth = 0,
): unknown {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST_JSON) return null;
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change, null, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key, null), mapStrings(member, change, key, depth + 1)]),
  );
}
