import { isJsonObject, type JsonObject } from '@/lib/json';
import { type ControlVerdict, createFailed, createNotApplicable, createVerdict } from '@/lib/oauth/assessment/verdict';
import { has, isText } from '@/lib/oauth/token/members';
import type { TokenRule } from '@/lib/oauth/token/token-rule';

const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

/** Describes the missing claims. */
function present(claims: JsonObject, names: readonly string[]): ControlVerdict {
  const missing = names.filter((name) => !has(claims, name));
  return createVerdict(
    missing.length === 0,
    'Every required claim is present.',
    `Required claims are missing: ${missing.join(', ')}.`,
  );
}

/** Describes the claims that are present but malformed. */
function judgeForms(claims: JsonObject, forms: Readonly<Record<string, (value: unknown) => boolean>>): ControlVerdict {
  const there = Object.keys(forms).filter((name) => has(claims, name));
  if (there.length === 0) return createNotApplicable(`It has none of ${Object.keys(forms).join(', ')}.`);
  const wrong = there.filter((name) => forms[name]?.(claims[name]) === false);
  return createVerdict(
    wrong.length === 0,
    `Of the right form: ${there.join(', ')}.`,
    `Claims have the wrong form: ${wrong.join(', ')}.`,
  );
}

const isNumber = (value: unknown) => Number.isFinite(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Rules for access tokens (RFC 9068). */
export const ACCESS_TOKEN: readonly TokenRule[] = [
  {
    source: 'RFC 9068 2.1',
    title: 'The type is at+jwt',
    judge: ({ typ }) =>
      createVerdict(
        typ === 'at+jwt',
        'The header says that it is an access token.',
        `“typ” is ${typ === '' ? 'missing' : `“${typ.slice(0, 64)}”`}.`,
      ),
  },
  {
    source: 'RFC 9068 2.1',
    title: 'It is signed with a key pair',
    advice: true,
    judge: ({ header: { alg } }) => {
      if (!isText(alg) || /^none$/i.test(alg)) return createFailed('It is not signed.');
      return createVerdict(
        !/^HS/.test(alg),
        'The resource server cannot forge it.',
        'A shared secret lets each resource server forge tokens for the others.',
      );
    },
  },
  {
    source: 'RFC 9068 2.2',
    title: 'The required claims are present',
    judge: ({ claims }) => present(claims, REQUIRED_CLAIMS),
  },
  {
    source: 'RFC 9068 2.2',
    title: 'The required claims have the right form',
    judge: ({ claims }) =>
      judgeForms(claims, { iss: isText, sub: isText, client_id: isText, jti: isText, exp: isNumber, iat: isNumber }),
  },
  {
    source: 'RFC 9068 2.2.1',
    title: 'Authentication claims have the right form',
    judge: ({ claims }) => judgeForms(claims, { auth_time: isNumber, acr: isText, amr: isTexts }),
  },
  {
    source: 'RFC 9068 2.2.3',
    title: 'The scope is a text with spaces',
    judge: ({ claims }) =>
      judgeForms(claims, {
        scope: (value) =>
          typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value),
      }),
  },
  {
    source: 'RFC 9700 2.2.1',
    title: 'It is bound to a key of the client',
    advice: true,
    judge: ({ claims: { cnf } }) =>
      createVerdict(
        typeof cnf === 'object' && cnf !== null,
        'Only who proves to have the key can use it.',
        'Any holder of the token can use it. Bind it with DPoP or mutual TLS.',
      ),
  },
];

/** Rules for ID tokens (OpenID Connect Core). */
export const ID_TOKEN: readonly TokenRule[] = [
  {
    source: 'OpenID Connect Core 2',
    title: 'The required claims are present',
    judge: ({ claims }) => present(claims, ['iss', 'sub', 'aud', 'exp', 'iat']),
  },
  {
    source: 'OpenID Connect Core 2',
    title: 'The issuer is an address',
    judge: ({ claims: { iss } }) =>
      createVerdict(
        typeof iss === 'string' && /^https:\/\/[^?#\s]+$/.test(iss),
        'It is an https address without query and fragment.',
        '“iss” is not an https address without query and fragment.',
      ),
  },
  {
    source: 'OpenID Connect Core 2',
    title: 'The subject fits',
    judge: ({ claims: { sub } }) =>
      createVerdict(
        typeof sub === 'string' && /^[ -~]{1,255}$/.test(sub),
        'It has at most 255 ASCII characters.',
        '“sub” is not a text of 1 to 255 ASCII characters.',
      ),
  },
  {
    source: 'OpenID Connect Core 2',
    title: 'Other claims have the right form',
    judge: ({ claims }) =>
      judgeForms(claims, { nonce: isText, auth_time: isNumber, acr: isText, amr: isTexts, azp: isText }),
  },
  {
    source: 'OpenID Connect Core 3.1.3.7',
    title: 'Of several audiences, one is the authorized party',
    judge: ({ claims: { aud, azp } }) => {
      if (!Array.isArray(aud) || aud.length < 2) return createNotApplicable('There is one audience.');
      return createVerdict(
        isText(azp) && aud.includes(azp),
        '“azp” names one of the audiences.',
        '“azp” must name the client among the audiences.',
      );
    },
  },
];

/** Rules for DPoP proofs (RFC 9449 section 4.2). */
export const DPOP_PROOF: readonly TokenRule[] = [
  {
    source: 'RFC 9449 4.2',
    title: 'It is signed with a key pair',
    judge: ({ header: { alg } }) =>
      createVerdict(
        isText(alg) && !/^(?:none$|HS)/i.test(alg),
        'The algorithm is asymmetric.',
        'A proof must be signed with a private key.',
      ),
  },
  {
    source: 'RFC 9449 4.2',
    title: 'The header carries the public key',
    judge: ({ header: { jwk } }) => {
      if (!isJsonObject(jwk)) return createFailed('“jwk” is missing.');
      return createVerdict(
        !has(jwk, 'd') && !has(jwk, 'k'),
        'It is a public key.',
        'The key in the header (jwk) is a private one.',
      );
    },
  },
  {
    source: 'RFC 9449 4.2',
    title: 'The required claims are present',
    judge: ({ claims }) => present(claims, ['jti', 'htm', 'htu', 'iat']),
  },
];

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Returns whether claims report a logout (OpenID Connect Back-Channel Logout section 2.4). */
export const reportsLogout = ({ events }: JsonObject): boolean => isJsonObject(events) && has(events, LOGOUT_EVENT);

/** Rules for logout tokens (OpenID Connect Back-Channel Logout section 2.4). */
export const LOGOUT_TOKEN: readonly TokenRule[] = [
  {
    source: 'OpenID Connect Back-Channel Logout 2.4',
    title: 'The type is logout+jwt',
    advice: true,
    judge: ({ typ }) =>
      createVerdict(
        typ === 'logout+jwt',
        'The header says that it is a logout token.',
        'Without the type “logout+jwt” it can be taken for another kind of token.',
      ),
  },
  {
    source: 'OpenID Connect Back-Channel Logout 2.4',
    title: 'The required claims are present',
    judge: ({ claims }) => present(claims, ['iss', 'aud', 'iat', 'exp', 'jti', 'events']),
  },
  {
    source: 'OpenID Connect Back-Channel Logout 2.4',
    title: 'It names a user or a session',
    judge: ({ claims: { sub, sid } }) =>
      createVerdict(
        isText(sub) || isText(sid),
        'It has “sub” or “sid”.',
        'It has neither “sub” nor “sid”, so it does not say which session has ended.',
      ),
  },
  {
    source: 'OpenID Connect Back-Channel Logout 2.4',
    title: 'The event is a logout',
    judge: ({ claims: { events } }) =>
      createVerdict(
        isJsonObject(events) && isJsonObject(events[LOGOUT_EVENT]),
        'Its “events” have a logout, with a JSON object.',
        `“events” must have ${LOGOUT_EVENT} with a JSON object, which can be empty.`,
      ),
  },
  {
    source: 'OpenID Connect Back-Channel Logout 2.4',
    title: 'There is no nonce',
    judge: ({ claims }) =>
      createVerdict(
        !has(claims, 'nonce'),
        'It cannot be taken for an ID token.',
        '“nonce” is prohibited: with it, a client could take the token for an ID token.',
      ),
  },
];
