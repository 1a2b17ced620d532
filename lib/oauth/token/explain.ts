import { isJsonObject, type JsonObject } from '@/lib/json';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { findAlgorithm } from '@/lib/oauth/token/algorithms';
import { formatJson } from '@/lib/oauth/token/format-json';
import { readNumericDate } from '@/lib/oauth/token/numeric-date';

/** A header parameter or a claim, with its value as text that is safe to show, and its meaning. */
export interface ExplainedMember {
  name: string;
  value: string;
  /** Null if none of the supported specifications defines it. */
  meaning: string | null;
  /** Specification that defines it. */
  source: string | null;
  /** Milliseconds since the epoch, if the value is a time. */
  time: number | null;
  /** Reason why other readers may see a different value. */
  note: string | null;
}

/** Meaning and source. */
type Entry = readonly [string, string];

const HEADER: Readonly<Record<string, Entry>> = {
  alg: ['The signature algorithm.', 'RFC 7515 4.1.1'],
  typ: ['What kind of token it is.', 'RFC 7515 4.1.9'],
  cty: ['What kind of content the payload is; JWT for a token within the token.', 'RFC 7515 4.1.10'],
  kid: ['The id of the key that signed it.', 'RFC 7515 4.1.4'],
  jku: ['Where the sender says the keys are. Following it lets an attacker choose the key.', 'RFC 7515 4.1.2'],
  jwk: ['The public key itself. Trusting it lets anyone sign.', 'RFC 7515 4.1.3'],
  x5u: ['Where the sender says the certificate is.', 'RFC 7515 4.1.5'],
  x5c: ['The certificate chain of the key.', 'RFC 7515 4.1.6'],
  x5t: ['The SHA-1 thumbprint of the certificate.', 'RFC 7515 4.1.7'],
  'x5t#S256': ['The SHA-256 thumbprint of the certificate.', 'RFC 7515 4.1.8'],
  crit: ['Extensions that a reader must understand, or refuse the token.', 'RFC 7515 4.1.11'],
  b64: ['Whether the payload is base64url-encoded.', 'RFC 7797 3'],
  enc: ['The algorithm that encrypts the content.', 'RFC 7516 4.1.2'],
  zip: ['The content is compressed before it is encrypted.', 'RFC 7516 4.1.3'],
  epk: ["The sender's one-time public key.", 'RFC 7518 4.6.1.1'],
  apu: ['Information about the sender.', 'RFC 7518 4.6.1.2'],
  apv: ['Information about the recipient.', 'RFC 7518 4.6.1.3'],
};

const CLAIMS: Readonly<Record<string, Entry>> = {
  iss: ['Who issued the token.', 'RFC 7519 4.1.1'],
  sub: ['Whom the token is about.', 'RFC 7519 4.1.2'],
  aud: ['Who must accept the token; everyone else must refuse it.', 'RFC 7519 4.1.3'],
  exp: ['From this time on it must be refused.', 'RFC 7519 4.1.4'],
  nbf: ['Before this time it must be refused.', 'RFC 7519 4.1.5'],
  iat: ['When it was issued.', 'RFC 7519 4.1.6'],
  jti: ['The id of this token; the same id twice is a replay.', 'RFC 7519 4.1.7'],
  client_id: ['The client that it was issued to.', 'RFC 9068 2.2'],
  scope: ['What the client may do with it.', 'RFC 9068 2.2.3'],
  groups: ['The groups of the subject.', 'RFC 9068 2.2.3.1'],
  roles: ['The roles of the subject.', 'RFC 9068 2.2.3.1'],
  entitlements: ['What the subject may do.', 'RFC 9068 2.2.3.1'],
  auth_time: ['When the user signed in.', 'OpenID Connect Core 2'],
  acr: ['How strongly the user was authenticated.', 'OpenID Connect Core 2'],
  amr: ['How the user was authenticated.', 'OpenID Connect Core 2'],
  azp: ['The client that the ID token was issued to.', 'OpenID Connect Core 2'],
  nonce: ["Ties an ID token to the client's request.", 'OpenID Connect Core 2'],
  at_hash: ['Half the hash of the access token that came with it.', 'OpenID Connect Core 3.1.3.6'],
  c_hash: ['Half the hash of the code that came with it.', 'OpenID Connect Core 3.3.2.11'],
  s_hash: ['Half the hash of the state.', 'FAPI 1.0 Part 2 5.1'],
  sid: ['The session at the server.', 'OpenID Connect Front-Channel Logout 3'],
  events: ['The events that it reports, such as a logout.', 'RFC 8417 2.2'],
  cnf: ['The key that the holder must prove to have.', 'RFC 7800 3.1'],
  act: ['Who acts for the subject.', 'RFC 8693 4.1'],
  may_act: ['Who may act for the subject.', 'RFC 8693 4.4'],
  htm: ['The method of the request that a DPoP proof is for.', 'RFC 9449 4.2'],
  htu: ['The address of the request that a DPoP proof is for.', 'RFC 9449 4.2'],
  ath: ['The hash of the access token that a DPoP proof goes with.', 'RFC 9449 4.2'],
  authorization_details: ['What exactly was authorized.', 'RFC 9396 9.1'],
  vct: ['The type of the credential.', 'SD-JWT VC 3.2.2.1'],
  _sd: ['Hashes of claims that are disclosed separately.', 'RFC 9901 4.2.4.1'],
  name: ["The user's full name.", 'OpenID Connect Core 5.1'],
  given_name: ["The user's given name.", 'OpenID Connect Core 5.1'],
  family_name: ["The user's family name.", 'OpenID Connect Core 5.1'],
  preferred_username: ['A name to call the user by. Not unique, and it changes.', 'OpenID Connect Core 5.1'],
  email: ["The user's e-mail address.", 'OpenID Connect Core 5.1'],
  email_verified: ['Whether the address was verified.', 'OpenID Connect Core 5.1'],
  phone_number: ["The user's telephone number.", 'OpenID Connect Core 5.1'],
  locale: ["The user's language.", 'OpenID Connect Core 5.1'],
  zoneinfo: ["The user's time zone.", 'OpenID Connect Core 5.1'],
  picture: ["The address of the user's picture.", 'OpenID Connect Core 5.1'],
  updated_at: ['When the profile last changed.', 'OpenID Connect Core 5.1'],
};

/** Meanings of `typ` (media types, without `application/`). */
const TYPES: Readonly<Record<string, string>> = {
  jwt: 'A JWT of unknown type.',
  'at+jwt': 'An access token (RFC 9068).',
  'dpop+jwt': 'A DPoP proof (RFC 9449).',
  'logout+jwt': 'A logout token (OpenID Connect Back-Channel Logout).',
  'secevent+jwt': 'A security event (RFC 8417).',
  'token-introspection+jwt': 'An introspection response (RFC 9701).',
  'oauth-authz-req+jwt': 'An authorization request (RFC 9101).',
  'client-authentication+jwt': 'A client assertion (RFC 7523).',
  'dc+sd-jwt': 'A credential with selective disclosure.',
};

/** Ways to identify a key in `cnf`. */
const CONFIRMATIONS: Readonly<Record<string, string>> = {
  jkt: 'A DPoP key, by its thumbprint (RFC 9449 section 6.1).',
  'x5t#S256': "The client's TLS certificate, by its thumbprint (RFC 8705 section 3.1).",
  jwk: 'The key itself (RFC 7800 section 3.2).',
  jku: 'The address of the key (RFC 7800 section 3.5).',
  kid: 'The id of the key (RFC 7800 section 3.4).',
};

const TIMES = new Set(['exp', 'nbf', 'iat', 'auth_time', 'updated_at']);
/** Characters of a value that are shown. */
const SHOWN = 2_048;
const MOST_MEMBERS = 200;

/**
 * Explains the parameters of a header or the claims of a payload, at most 200 of them. `sources` are their texts as they
 * are written.
 */
export function explainMembers(
  kind: 'header' | 'payload',
  members: JsonObject,
  sources: ReadonlyMap<string, string> = new Map(),
): ExplainedMember[] {
  const dictionary = kind === 'header' ? HEADER : CLAIMS;
  return Object.entries(members)
    .slice(0, MOST_MEMBERS)
    .map(([name, value]) => {
      const [meaning = null, source = null] = (Object.hasOwn(dictionary, name) && dictionary[name]) || [];
      const detail = kind === 'header' ? describeParameter(name, value) : describeClaim(name, value);
      return {
        name: escapeInvisibleCharacters(name.slice(0, 256)),
        value: formatValue(value, sources.get(name)),
        meaning: meaning === null ? null : [meaning, ...detail].join(' '),
        source,
        time: kind === 'payload' && TIMES.has(name) ? (readNumericDate(value)?.at ?? null) : null,
        note: explainNumber(value, sources.get(name)),
      };
    });
}

function formatValue(value: unknown, source: string | undefined): string {
  const text =
    typeof value === 'string' ? value : formatJson(source ?? JSON.stringify(value), isJsonObject(value) ? 2 : 0);
  return escapeInvisibleCharacters(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** Warns of a number that readers with floating-point numbers change (RFC 8259 section 6). Null if they do not. */
function explainNumber(value: unknown, source: string | undefined): string | null {
  if (typeof value !== 'number' || source === undefined) return null;
  if (!Number.isFinite(value))
    return 'The number is too large for most readers: they take it for infinity, or refuse it.';
  return /^-?\d+$/.test(source) && BigInt(source) !== BigInt(value)
    ? `Many readers keep 53 bits and see ${BigInt(value)} (RFC 8259 section 6). Such ids belong in a text.`
    : null;
}

function describeParameter(name: string, value: unknown): string[] {
  if (name === 'alg') {
    if (typeof value === 'string' && value.toLowerCase() === 'none') return ['None: the token is not signed.'];
    const algorithm = findAlgorithm(value);
    return algorithm === null ? [] : [`${algorithm.meaning}.`];
  }
  if (name !== 'typ' || typeof value !== 'string') return [];
  const type = value.toLowerCase().replace(/^application\//, '');
  return Object.hasOwn(TYPES, type) ? [TYPES[type] ?? ''] : [];
}

function describeClaim(name: string, value: unknown): string[] {
  if (TIMES.has(name)) {
    const date = readNumericDate(value);
    if (date === null) return ['It is not a time: a number of seconds since 1970 is expected.'];
    return date.unit === 'seconds'
      ? []
      : [
          `It is in ${date.unit}. Readers expect seconds since 1970 (RFC 7519 section 2), and take it for a far future.`,
        ];
  }
  if (!isJsonObject(value)) return [];
  if (name === 'cnf')
    return Object.keys(value).flatMap((method) =>
      Object.hasOwn(CONFIRMATIONS, method) ? (CONFIRMATIONS[method] ?? []) : [],
    );
  if (name === 'act') return [`Actors, the current one first: ${listActors(value).join(', then ')}.`];
  return [];
}

/** Lists the actors. Prior actors are nested (RFC 8693 section 4.1). */
function listActors(act: JsonObject): string[] {
  const chain: string[] = [];
  for (let actor: unknown = act; isJsonObject(actor) && chain.length < 10; actor = actor.act) {
    chain.push(escapeInvisibleCharacters(typeof actor.sub === 'string' ? actor.sub.slice(0, 100) : 'someone unnamed'));
  }
  return chain;
}
