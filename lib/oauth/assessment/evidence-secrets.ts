import { decodeJwt, decodeProtectedHeader } from 'jose';
import { mergeOverlaps, replaceRanges, SecretFinder } from '@/lib/logging/secret-finder';
import {
  BODY_LIMIT,
  type EvidenceToken,
  type Exchange,
  type ReceivedResponse,
  type SentRequest,
} from '@/lib/oauth/assessment/exchange';
import {
  decodeFormValue,
  findHeaderPlaces,
  findSecretKind,
  findSecretPlaces,
  readOrNull,
  type SecretPlace,
} from '@/lib/oauth/assessment/secret-places';
import { type AssessmentTarget, readSecret } from '@/lib/oauth/assessment/target';

/** Minimum length of a secret that a probe invents. Shorter values are words, such as `not-the-secret`. */
const SHORTEST_OF_PROBE = 16;
/** Number of readable characters of a token, and minimum number of hidden ones. */
const SHOWN = 8;
const SHORTEST_SHOWN = 24;
/** Kinds of secrets whose first characters are shown. */
const TOKEN = /token$|assertion$|proof$/;
/** Matches an `error` or `code` that names a fault instead of an authorization code. */
const FAULT_NAME = /^(?:[a-z]+(?:[_.-][a-z]+)*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|\d{1,5})$/;
const BASIC = /^(basic +)(.+)$/i;
/** Maximum depth of addresses within parameters that are searched. */
const DEEPEST = 3;
const DEEPEST_JSON = 64;
const LARGEST_JWT = 16_384;
/**
 * Characters of secrets of a run that are found by value. Beyond them secrets are found only in their places, so that a
 * server cannot fill the memory.
 */
const MOST_LEARNED = 8_000_000;

type NamedSecret = { name: string; placeholder: string };

/** Removes secrets from the evidence of an assessment. */
export type Redaction = Pick<
  EvidenceSecrets,
  'learnFromRequest' | 'learnFromResponse' | 'redactExchange' | 'redactAgain' | 'redactText'
>;

/** Status for texts from a request, which have none. */
const IN_REQUEST = 0;

/**
 * Secrets of one run of probes, which must not leave the server. They come from the target's description (client
 * secrets, cookies) and from the exchanges (codes, tokens, cookies, code verifiers, ...), as soon as they appear. Each
 * secret has one placeholder everywhere, such as `[code 1]` or `[access token 2: eyJhbGci…]`, so evidence still shows
 * where the same secret was used. Values under four characters look like ordinary text. They are replaced only in
 * places where a secret is expected.
 */
export class EvidenceSecrets {
  readonly #finder = new SecretFinder();
  readonly #names = new Map<string, NamedSecret>();
  readonly #counts = new Map<string, number>();
  #learned = 0;
  /** Public, although probes try them as secrets too. */
  readonly #clientIds = new Set<string>();

  constructor(target: Pick<AssessmentTarget, 'client' | 'otherClient' | 'nativeClient' | 'cookie'>) {
    for (const client of [target.client, target.otherClient, target.nativeClient]) {
      if (client !== null) this.#clientIds.add(client.id);
      const secret = client === null ? null : readSecret(client);
      if (client === null || secret === null || secret === '') continue;
      this.#addSecret('client secret', secret);
      // Anyone can decode Basic credentials, and a short secret would not be found in them. So the encoded texts are
      // recorded.
      const { placeholder } = this.#nameSecret('client secret', secret);
      for (const text of encodeBasicCredentials(client.id, secret)) this.#addAlias(text, placeholder);
    }
    if (target.cookie !== '') this.#learnHeader('cookie', target.cookie, IN_REQUEST);
  }

  learnFromRequest({ url, headers, body }: SentRequest): void {
    for (const [name, value] of headers) this.#learnHeader(name, value, IN_REQUEST);
    for (const text of [url, body]) this.#learnText(text, IN_REQUEST);
  }

  /** Learns the secrets in an answer, because they may be repeated anywhere later. */
  learnFromResponse({ status, headers, body }: ReceivedResponse): void {
    for (const [name, value] of headers) this.#learnHeader(name, value, status);
    for (const text of [body, ...listUnescapedTexts(body)]) this.#learnText(text, status);
  }

  /** Redacts an exchange. The result may be stored, streamed and exported. */
  redactExchange({ tokens: _, isOwn: __, failsAgain: ___, ...exchange }: Exchange): Exchange {
    const jwts = new Map<string, string>();
    const redacted = mapTexts(
      exchange,
      (text, status, limit) => this.#redact(text, status, jwts, findSecretPlaces(text), limit),
      (name, value, status) => this.#redactHeader(name, value, status, jwts),
    );
    const tokens = [...jwts].flatMap(([jwt, name]) => this.#readToken(jwt, name) ?? []);
    return tokens.length === 0 ? redacted : { ...redacted, tokens };
  }

  /** Redacts evidence again, to remove secrets that were learned after the first redaction. */
  redactAgain({ tokens, ...exchange }: Exchange): Exchange {
    const hide = (text: string) => this.#finder.hide(text, (secret) => this.#findName(secret).placeholder);
    const hidden = mapTexts(exchange, hide, (_, value) => hide(value));
    if (tokens === undefined) return hidden;
    const redactToken = ({ name, header, claims }: EvidenceToken) => ({
      name,
      header: mapStrings(header, hide),
      claims: mapStrings(claims, hide),
    });
    return { ...hidden, tokens: tokens.map(redactToken) };
  }

  /** Redacts a sentence that may quote the target. */
  redactText(text: string): string {
    return this.#redact(text, 400, new Map());
  }

  #addSecret(kind: string, value: string): void {
    if (this.#learned > MOST_LEARNED || this.#clientIds.has(value) || !this.#finder.add(value)) return;
    this.#learned += value.length;
    const { placeholder } = this.#nameSecret(kind, value);
    // Frameworks decode values before they repeat them.
    const decoded = decodeFormValue(value);
    if (decoded !== value) this.#addAlias(decoded, placeholder);
    // An attacker who has the signature could test guesses of the claims.
    const [, , signature] = value.startsWith('eyJ') ? value.split('.') : [];
    if (signature !== undefined && signature.length >= SHORTEST_OF_PROBE) this.#addAlias(signature, placeholder);
  }

  /** Records another text for the same secret. */
  #addAlias(text: string, placeholder: string): void {
    if (this.#finder.add(text) && !this.#names.has(text)) this.#names.set(text, { name: '', placeholder });
  }

  #nameSecret(kind: string, value: string): NamedSecret {
    const existing = this.#names.get(value);
    if (existing !== undefined) return existing;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = kind === 'client secret' && count === 1 ? kind : `${kind} ${count}`;
    const start = value.slice(0, SHOWN);
    const isShown = TOKEN.test(kind) && value.length >= SHORTEST_SHOWN && /^[\w.~-]+$/.test(start);
    const shown = isShown && this.#finder.find(start).length === 0 ? `: ${start}…` : '';
    const named = { name, placeholder: `[${name}${shown}]` };
    this.#names.set(value, named);
    return named;
  }

  #findName(secret: string): NamedSecret {
    return this.#names.get(secret) ?? { name: '', placeholder: '[secret]' };
  }

  #learnHeader(name: string, value: string, status: number): void {
    const places = findHeaderPlaces(name, value);
    if (places === null) this.#learnText(value, status);
    else this.#learnPlaces(places, status);
  }

  #learnPlaces(places: readonly SecretPlace[], status: number): void {
    for (const place of places) {
      const { kind, value } = place;
      const isGiven = status !== IN_REQUEST || kind === 'cookie' || value.length >= SHORTEST_OF_PROBE;
      if (isGiven && !isFaultName(place, status)) this.#addSecret(kind, value);
    }
  }

  #learnText(text: string, status: number, depth = 0): void {
    this.#learnPlaces(findSecretPlaces(text), status);
    if (depth >= DEEPEST || !text.includes('%')) return;
    // Parameters can contain addresses with further parameters.
    for (const [, value = ''] of text.matchAll(/=([^&\s"'<>#]*)/g)) {
      if (/%3d/i.test(value)) this.#learnText(decodeFormValue(value), status, depth + 1);
    }
  }

  #redactHeader(name: string, value: string, status: number, jwts: Map<string, string>): string {
    const [, scheme, credentials = ''] = (name === 'authorization' && BASIC.exec(value)) || [];
    if (scheme === undefined)
      return this.#redact(value, status, jwts, findHeaderPlaces(name, value) ?? findSecretPlaces(value));
    // The name of the client stays readable (RFC 6749 section 2.3.1).
    const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(credentials, 'base64').toString('utf8')) ?? [];
    if (id === undefined || secret === undefined) return `${scheme}[credentials]`;
    return `${scheme}[${this.#redact(id, 0, jwts)}:${this.#nameSecret('client secret', decodeFormValue(secret)).placeholder}]`;
  }

  /** @param jwts receives the replaced JWTs, with their names */
  #redact(
    text: string,
    status: number,
    jwts: Map<string, string>,
    places = findSecretPlaces(text),
    limit?: number,
  ): string {
    const expected = places.filter((place) => !isFaultName(place, status));
    const found = [
      ...expected.map(({ kind, ...place }) => ({ ...place, ...this.#nameSecret(kind, place.value) })),
      ...this.#finder
        .find(text)
        .map(({ secret, ...place }) => ({ ...place, value: secret, ...this.#findName(secret) })),
    ];
    for (const { value, name } of found) if (value.startsWith('eyJ') && name !== '') jwts.set(value, name);
    const ranges = found.map(({ start, end, placeholder }) => ({ start, end, text: placeholder }));
    return replaceRanges(text, mergeOverlaps(ranges), limit);
  }

  #readToken(jwt: string, name: string): EvidenceToken | null {
    if (jwt.length > LARGEST_JWT) return null;
    const redactMembers = (value: unknown) =>
      mapStrings(value, (text, member) => {
        const kind = member === null ? null : findSecretKind(member);
        return kind === null ? this.#redact(text, 0, new Map()) : this.#nameSecret(kind, text).placeholder;
      });
    const header = readOrNull(() => decodeProtectedHeader(jwt));
    // The claims of a JWE are encrypted.
    const claims = readOrNull(() => decodeJwt(jwt));
    return header === null ? null : { name, header: redactMembers(header), claims: redactMembers(claims) };
  }
}

/** Copies an exchange and changes its texts and header values. */
function mapTexts(
  { request, response, ...rest }: Exchange,
  text: (plain: string, status: number, limit?: number) => string,
  header: (name: string, value: string, status: number) => string,
): Exchange {
  const mapHeaders = (pairs: [string, string][], status: number) =>
    pairs.map(([name, value]): [string, string] => [text(name, IN_REQUEST), header(name, value, status)]);
  const { method, url, headers: sent, body } = request;
  const { status } = response;
  return {
    ...rest,
    request: {
      method,
      url: text(url, IN_REQUEST),
      headers: mapHeaders(sent, IN_REQUEST),
      body: text(body, IN_REQUEST),
    },
    response: { status, headers: mapHeaders(response.headers, status), body: text(response.body, status, BODY_LIMIT) },
  };
}

/**
 * Encodes Basic credentials with and without form encoding. RFC 6749 section 2.3.1 requires it, but many clients omit
 * it.
 */
function encodeBasicCredentials(id: string, secret: string): string[] {
  const encodeForm = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return [`${id}:${secret}`, `${encodeForm(id)}:${encodeForm(secret)}`].flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    return [bytes.toString('base64'), bytes.toString('base64url')];
  });
}

function isFaultName({ kind, value }: SecretPlace, status: number): boolean {
  return kind === 'code' && status >= 400 && FAULT_NAME.test(value);
}

/** Returns the unescaped texts in a JSON body that has escapes. */
function listUnescapedTexts(body: string): string[] {
  if (!body.includes('\\') || !/^\s*[[{]/.test(body)) return [];
  const texts: string[] = [];
  const collect = (name: string, value: unknown) => {
    texts.push(name, ...(typeof value === 'string' ? [value] : []));
    return value;
  };
  return readOrNull(() => JSON.parse(body, collect)) === null ? [] : texts;
}

/** Copies a JSON value and changes its strings. `change` gets the name of the member, or null in arrays. */
function mapStrings(
  value: unknown,
  change: (text: string, name: string | null) => string,
  name: string | null = null,
  depth = 0,
): unknown {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST_JSON) return null;
  if (Array.isArray(value)) return value.map((member) => mapStrings(member, change, null, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key, null), mapStrings(member, change, key, depth + 1)]),
  );
}
