import { decodeReference, REFERENCE } from '@/lib/logging/text-views';

/** Position of a secret in a text, recognised by its context. */
export interface SecretPlace {
  /** UTF-16 units. `end` is exclusive. */
  start: number;
  end: number;
  /** Kind of the secret in words, which begins its placeholder. */
  kind: string;
  /** The decoded value. */
  value: string;
}

/** Fields whose names describe their content: `code_verifier`. */
const IN_WORDS =
  /^(?:code(?:_verifier)?|client_(?:assertion|secret)|device_(?:code|secret)|(access|refresh)_token|session_id|user_code)$/;
const KINDS: Readonly<Record<string, string>> = {
  actor_token: 'token',
  auth_req_id: 'request id',
  authorization_code: 'code',
  id_token: 'ID token',
  id_token_hint: 'ID token',
  jwt: 'token',
  otp: 'password',
  request_uri: 'request URI',
  sessionid: 'session id',
  sid: 'session id',
  subject_token: 'token',
};
/** Names that frameworks use for values bound to a session: `_csrf`, `authenticity_token`, `x-auth-token`, ... */
const LIKE_A_SECRET = /(?:^|[_.-])(token|secret|password|ticket|csrf|xsrf|assertion|api[_-]?key)$/;

/** Returns the kind of secret in a parameter, member or header of this name, or null if it contains none. */
export function findSecretKind(name: string): string | null {
  const plain = name.toLowerCase();
  if (IN_WORDS.test(plain)) return plain.replace('_', ' ');
  if (Object.hasOwn(KINDS, plain)) return KINDS[plain] ?? null;
  const word = LIKE_A_SECRET.exec(plain)?.[1];
  if (word === undefined) return null;
  return word.endsWith('key') ? 'API key' : /^[cx]srf$/.test(word) ? 'CSRF token' : word;
}

/** Matches `name=value` in a query, a fragment, a form, or a text that contains one. */
const PARAMETER = /(?<=^|[?&#;\s"'>])([\w.[\]-]{1,64})=([^&\s"'<>#]+)/g;
const MEMBER = /"([^"\\]{1,64})"\s{0,16}:\s{0,16}"([^"\\]*(?:\\.[^"\\]*)*)/gs;
/** Private members of a JWK (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1). */
const PRIVATE_KEY = /^(?:d|p|q|dp|dq|qi|k)$/;
const SHORTEST_KEY = 16;
/** Headers by which proxies pass the certificate of a client on. */
const CERTIFICATE = /client[-_]?cert/;
const INPUT = /<input\b[^<>]*/gi;
const ATTRIBUTE = /(?<=[\s"'/])(name|value)\s{0,8}=\s{0,8}(?:"([^"]*)|'([^']*)|([^\s"'<>]+))/gi;
const RUN = /[\w.-]{20,}/g;
/** Minimum length of a JWT header. `{"alg":"none"}` in base64url is longer. */
const SHORTEST_HEADER = 15;

/** Finds the secrets in a text: parameters, members of JSON, inputs of HTML forms, and JWTs. */
export function findSecretPlaces(text: string): SecretPlace[] {
  const places: SecretPlace[] = [];
  const add = (kind: string | null, start: number, raw: string, value: string) => {
    if (kind !== null && raw !== '') places.push({ start, end: start + raw.length, kind, value });
  };
  for (const { 0: all, 1: name = '', 2: raw = '', index } of text.matchAll(PARAMETER)) {
    add(findSecretKind(name), index + all.length - raw.length, raw, decodeFormValue(raw));
  }
  for (const { 0: all, 1: name = '', 2: raw = '', index } of text.matchAll(MEMBER)) {
    const isKey = PRIVATE_KEY.test(name) && raw.length >= SHORTEST_KEY;
    const value = readOrNull(() => String(JSON.parse(`"${raw}"`))) ?? raw;
    add(isKey ? 'private key' : findSecretKind(name), index + all.length - raw.length, raw, value);
  }
  for (const { 0: input, index } of text.matchAll(INPUT)) {
    const attributes = new Map<string, { raw: string; at: number }>();
    for (const { 0: all, 1: name = '', 2: double, 3: single, 4: bare, index: at } of input.matchAll(ATTRIBUTE)) {
      const raw = double ?? single ?? bare ?? '';
      attributes.set(name.toLowerCase(), { raw, at: index + at + all.length - raw.length });
    }
    const value = attributes.get('value');
    if (value === undefined) continue;
    const { raw, at } = value;
    add(findSecretKind(attributes.get('name')?.raw ?? ''), at, raw, raw.replaceAll(REFERENCE, decodeReference));
  }
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const jwt = findJwt(run);
    if (jwt !== null) add('token', index + jwt.at, jwt.text, jwt.text);
  }
  return places;
}

/**
 * Finds the first JWT in a run of JWT characters: three parts (JWS, RFC 7515 section 3.1) or five (JWE, RFC 7516
 * section 3.1).
 */
function findJwt(run: string): { at: number; text: string } | null {
  const parts = run.split('.');
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const at = part.indexOf('eyJ');
    if (at >= 0 && part.length - at >= SHORTEST_HEADER && parts.length - index >= 3) {
      const count = parts.length - index >= 5 ? 5 : 3;
      const jwt = parts.slice(index, index + count).join('.');
      return { at: from + at, text: jwt.slice(at) };
    }
    from += part.length + 1;
  }
  return null;
}

/** Decodes a value of a form or a query. Returns it unchanged if it cannot be decoded. */
export function decodeFormValue(raw: string): string {
  return readOrNull(() => decodeURIComponent(raw.replaceAll('+', ' '))) ?? raw;
}

/** Returns the result of `read`, or null if it throws. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Finds the secrets in a header with a known format. Returns null for any other header, which is searched as text. */
export function findHeaderPlaces(name: string, value: string): SecretPlace[] | null {
  const { length: end } = value;
  const selectWhole = (kind: string, start = 0): SecretPlace[] => [{ start, end, kind, value: value.slice(start) }];
  if (name === 'cookie') return findCookiePlaces(value);
  if (name === 'set-cookie') {
    const [pair = ''] = value.split(';', 1);
    const { length: pairLength } = pair;
    const moved = findSecretPlaces(value.slice(pairLength)).map((place) => ({
      ...place,
      start: place.start + pairLength,
      end: place.end + pairLength,
    }));
    return [...findCookiePlaces(pair), ...moved];
  }
  if (name === 'dpop') return selectWhole('DPoP proof');
  if (CERTIFICATE.test(name)) return selectWhole('certificate');
  if (name === 'authorization') {
    const [scheme = ''] = /^(?:basic|bearer|dpop) +(?=.)/i.exec(value) ?? [];
    return /^basic/i.test(scheme) ? [] : selectWhole('token', scheme.length);
  }
  const kind = findSecretKind(name);
  return kind === null ? null : selectWhole(kind);
}

function findCookiePlaces(header: string): SecretPlace[] {
  const places: SecretPlace[] = [];
  let at = 0;
  for (const pair of header.split(';')) {
    const raw = pair.slice(pair.indexOf('=') + 1);
    const value = raw.trim().replace(/^"(.*)"$/, '$1');
    const end = at + pair.length;
    const start = end - (raw === pair ? raw.trimStart() : raw).length;
    if (value !== '') places.push({ start, end, kind: 'cookie', value });
    at = end + 1;
  }
  return places;
}
