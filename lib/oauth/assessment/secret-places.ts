/** A place of a text where a secret stands because of what is around it. */
export interface SecretPlace {
  /** UTF-16 units; `end` is the first one after the value. */
  start: number;
  end: number;
  /** What kind of secret it is, in words: the beginning of its placeholder. */
  kind: string;
  /** The value, decoded. */
  value: string;
}

const KINDS: Readonly<Record<string, string>> = {
  access_token: 'access token',
  actor_token: 'token',
  api_key: 'API key',
  apikey: 'API key',
  assertion: 'assertion',
  auth_req_id: 'request id',
  authorization_code: 'code',
  client_assertion: 'client assertion',
  client_secret: 'client secret',
  code: 'code',
  code_verifier: 'code verifier',
  csrf: 'CSRF token',
  device_code: 'device code',
  device_secret: 'device secret',
  id_token: 'ID token',
  id_token_hint: 'ID token',
  jwt: 'token',
  otp: 'password',
  password: 'password',
  refresh_token: 'refresh token',
  request_uri: 'request URI',
  secret: 'secret',
  session_id: 'session id',
  sessionid: 'session id',
  sid: 'session id',
  subject_token: 'token',
  ticket: 'ticket',
  token: 'token',
  user_code: 'user code',
};
/** Names that frameworks give to what is bound to a session: `_csrf`, `authenticity_token`, `x-auth-token`, ... */
const LIKE_A_SECRET = /(?:^|[_.-])(token|secret|password|ticket|csrf|xsrf|assertion|api[_-]?key)$/;

/** What kind of secret a parameter, member or header of this name holds, or null when it holds none. */
export function kindOfField(name: string): string | null {
  const plain = name.toLowerCase();
  const known = Object.hasOwn(KINDS, plain) ? KINDS[plain] : undefined;
  if (known !== undefined) return known;
  const word = LIKE_A_SECRET.exec(plain)?.[1];
  return word === undefined ? null : (KINDS[word] ?? (word.endsWith('key') ? 'API key' : 'CSRF token'));
}

/** `name=value` of a query, a fragment, a form or a text that has one in it. */
const PARAMETER = /(?<=^|[?&#;\s"'>])([\w.[\]-]{1,64})=([^&\s"'<>#]+)/g;
const MEMBER = /"([^"\\]{1,64})"\s{0,16}:\s{0,16}"([^"\\]*(?:\\.[^"\\]*)*)/gs;
/** The private members of a JWK (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1). */
const PRIVATE_KEY = /^(?:d|p|q|dp|dq|qi|k)$/;
const SHORTEST_KEY = 16;
const INPUT = /<input\b[^<>]*/gi;
const ATTRIBUTE = /(?<=[\s"'/])(name|value)\s{0,8}=\s{0,8}(?:"([^"]*)|'([^']*)|([^\s"'<>]+))/gi;
const RUN = /[\w.-]{20,}/g;
/** `{"alg":"none"}` in base64url is longer than this. */
const SHORTEST_HEADER = 15;

/** Where secrets stand in a text: parameters, members of JSON, inputs of HTML forms, and JWTs. */
export function secretPlaces(text: string): SecretPlace[] {
  const places: SecretPlace[] = [];
  const add = (kind: string | null, start: number, raw: string, value: string) => {
    if (kind !== null && raw !== '') places.push({ start, end: start + raw.length, kind, value });
  };
  for (const { 0: all, 1: name = '', 2: raw = '', index } of text.matchAll(PARAMETER)) {
    add(kindOfField(name), index + all.length - raw.length, raw, fromForm(raw));
  }
  for (const { 0: all, 1: name = '', 2: raw = '', index } of text.matchAll(MEMBER)) {
    const isKey = PRIVATE_KEY.test(name) && raw.length >= SHORTEST_KEY;
    add(isKey ? 'private key' : kindOfField(name), index + all.length - raw.length, raw, fromJson(raw));
  }
  for (const { 0: input, index } of text.matchAll(INPUT)) {
    const attributes = new Map<string, { raw: string; at: number }>();
    for (const { 0: all, 1: name = '', 2: double, 3: single, 4: bare, index: at } of input.matchAll(ATTRIBUTE)) {
      const raw = double ?? single ?? bare ?? '';
      attributes.set(name.toLowerCase(), { raw, at: index + at + all.length - raw.length });
    }
    const value = attributes.get('value');
    if (value !== undefined)
      add(kindOfField(attributes.get('name')?.raw ?? ''), value.at, value.raw, fromHtml(value.raw));
  }
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const jwt = jwtIn(run);
    if (jwt !== null) add('token', index + jwt.at, jwt.text, jwt.text);
  }
  return places;
}

/** The first JWT among characters of JWTs: three parts (JWS, RFC 7515 section 3.1) or five (JWE, RFC 7516 section 3.1). */
function jwtIn(run: string): { at: number; text: string } | null {
  const parts = run.split('.');
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const at = part.indexOf('eyJ');
    if (at >= 0 && part.length - at >= SHORTEST_HEADER && parts.length - index >= 3) {
      const count = parts.length - index >= 5 ? 5 : 3;
      return {
        at: from + at,
        text: parts
          .slice(index, index + count)
          .join('.')
          .slice(at),
      };
    }
    from += part.length + 1;
  }
  return null;
}

/** A value of a form or of a query, decoded; as it is where it cannot be. */
export function fromForm(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}

function fromJson(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function fromHtml(raw: string): string {
  return raw.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
