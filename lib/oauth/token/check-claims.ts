import type { JsonObject } from '@/lib/json';
import {
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  createVerdict,
} from '@/lib/oauth/assessment/verdict';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { isText } from '@/lib/oauth/token/members';
import { readNumericDate } from '@/lib/oauth/token/numeric-date';

/** Expectations of the recipient. An empty issuer or audience is not compared. */
export interface Expectations {
  issuer: string;
  audience: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Tolerated clock skew, in seconds. */
  tolerance: number;
}

function quoteValue(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) && value.every(isText) ? formatTexts(value) : 'no text';
  return escapeInvisibleCharacters(JSON.stringify(value)?.slice(0, 200) ?? 'nothing');
}

const formatTexts = (values: readonly string[]): string =>
  escapeInvisibleCharacters(JSON.stringify(values).slice(0, 200));

/** Checks the issuer (RFC 8725 section 3.8, RFC 9068 section 4). */
export function checkIssuer({ iss }: JsonObject, { issuer }: Expectations): ControlVerdict {
  if (!isText(iss)) return createFailed('“iss” is missing or not a text: no issuer vouches for the token.');
  if (issuer === '') return createInconclusive('“iss” is present. Say which issuer you expect to compare it.');
  return createVerdict(
    iss === issuer,
    'It is the expected issuer.',
    `The issuer is ${quoteValue(iss)}, not the expected one.`,
  );
}

/** Checks the audience (RFC 8725 section 3.9, RFC 9068 section 4). */
export function checkAudience({ aud }: JsonObject, { audience }: Expectations): ControlVerdict {
  const audiences = [aud].flat();
  if (aud === undefined || audiences.length === 0 || !audiences.every(isText)) {
    return createFailed('“aud” is missing or not text: every service would have to accept the token, or none.');
  }
  if (audience === '') return createInconclusive('“aud” is present. Say which audience you are to compare it.');
  return createVerdict(
    audiences.includes(audience),
    'The expected audience is named.',
    `The token is for ${quoteValue(aud)}.`,
  );
}

/** Checks the expiry (RFC 7519 section 4.1.4). */
export function checkExpiry({ exp }: JsonObject, { now, tolerance }: Expectations): ControlVerdict {
  if (exp === undefined) return createFailed('“exp” is missing: the token never ends.');
  const fault = findTimeFault('exp', exp);
  const end = readNumericDate(exp);
  if (end === null) return createFailed(fault ?? '“exp” is no date.');
  const isOver = end.at + tolerance * 1000 <= now;
  if (fault !== null)
    return createFailed(
      `${fault} Read so, ${isOver ? 'it has expired' : 'it has not expired'}; as it stands, it never does.`,
    );
  return createVerdict(!isOver, 'It has not expired.', 'It has expired.');
}

/** Checks `nbf` (RFC 7519 section 4.1.5), and that `iat` is not in the future. */
export function checkStart({ nbf, iat }: JsonObject, { now, tolerance }: Expectations): ControlVerdict {
  const latest = now + tolerance * 1000;
  for (const [name, value] of Object.entries({ nbf, iat })) {
    const fault = value === undefined ? null : findTimeFault(name, value);
    if (fault !== null) return createFailed(fault);
  }
  const [start, issued] = [readNumericDate(nbf), readNumericDate(iat)];
  if (start !== null && start.at > latest) return createFailed('It is not valid yet (nbf).');
  if (issued !== null && issued.at > latest) return createFailed('It was issued in the future (iat).');
  return nbf === undefined && iat === undefined
    ? createNotApplicable('It names neither nbf nor iat.')
    : createPassed('It is valid already.');
}

/** Returns why a claim is no NumericDate (RFC 7519 section 2), or null if it is one. */
function findTimeFault(name: string, value: unknown): string | null {
  if (typeof value !== 'number') return `“${name}” is not a number of seconds (RFC 7519 section 2).`;
  const date = readNumericDate(value);
  if (date === null) return `“${name}” is no date: the number is too large.`;
  return date.unit === 'seconds' ? null : `“${name}” is in ${date.unit}, not in seconds (RFC 7519 section 2).`;
}
