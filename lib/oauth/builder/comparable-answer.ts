import type { ComparableLine } from '@/lib/oauth/builder/differing-lines';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { readToken } from '@/lib/oauth/token/read-token';

/** Longest answer that is compared, in characters. Longer ones are cut, because comparing takes time. */
const LONGEST = 20_000;
/** Headers that differ between any two answers and are unrelated to the request. */
const NOISE =
  /^(access-control-.*|connection|content-length|date|keep-alive|ratelimit|sluice-lab-off|vary|x-ratelimit-(?:remaining|reset)|x-request-id)$/;
/** Members whose values are random, or depend on random values. */
const RANDOM =
  /^(access_token|at_hash|auth_time|c_hash|code|device_code|grant_id|iat|id_token|jti|nbf|nonce|refresh_token|request_id|request_uri|s_hash|sid|signature|token|user_code|verification_uri_complete)$/;
const RANDOM_PARAMETER = /([?&#](?:access_token|code|id_token|request_uri)=)[^&"#\s]+/g;

/** Replaces a random value. */
const MASK = '(random)';

/**
 * Splits an answer into lines: status, headers, body, with its JWTs decoded. Random values are masked in the compared
 * text: codes, signatures, ids and times. An expiry is compared as a lifetime.
 */
export function splitComparableLines(answer: {
  status: number;
  headers: readonly (readonly [string, string])[];
  body: string;
}): ComparableLine[] {
  const headers = answer.headers.filter(([name]) => !NOISE.test(name)).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP ${answer.status}`, ...headers, ''].map((text) => ({ text, compared: text }));
  return [...head, ...splitBody(answer.body)].map(({ text, compared }) => ({
    text: escapeInvisibleCharacters(text),
    compared,
  }));
}

function splitBody(body: string): ComparableLine[] {
  if (body.length > LONGEST) return splitPlainText(`${body.slice(0, LONGEST)}…`);
  let value: unknown;
  try {
    value = JSON.parse(body, (_, member: unknown) => takeApart(member));
  } catch {
    return splitPlainText(body);
  }
  const formatLines = (json: unknown) => JSON.stringify(json, null, 2).split('\n');
  const compared = formatLines(maskRandomValues(value));
  return formatLines(value).map((text, index) => ({ text, compared: compared[index] ?? text }));
}

const splitPlainText = (text: string) => text.split('\n').map((line) => ({ text: line, compared: line }));

/** Decodes a JWT into header, claims and signature. */
function takeApart(member: unknown): unknown {
  if (typeof member !== 'string' || !member.startsWith('eyJ')) return member;
  const token = readToken(member);
  if (token.kind !== 'signed' || token.header.members === null || token.payload.members === null) return member;
  return { header: token.header.members, claims: token.payload.members, signature: token.signature.encoded };
}

/** Masks random values. The result formats to as many lines as the original. */
function maskRandomValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskRandomValues);
  if (typeof value === 'string') return value.replace(RANDOM_PARAMETER, `$1${MASK}`);
  if (typeof value !== 'object' || value === null) return value;
  const members: Record<string, unknown> = { ...value };
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      if (name === 'exp') return [name, computeLifetime(members) ?? MASK];
      return [name, RANDOM.test(name) && typeof member !== 'object' ? MASK : maskRandomValues(member)];
    }),
  );
}

/** Returns the seconds between issue and expiry, if both are present. */
function computeLifetime({ iat, exp }: Record<string, unknown>): number | null {
  return typeof iat === 'number' && typeof exp === 'number' ? exp - iat : null;
}
