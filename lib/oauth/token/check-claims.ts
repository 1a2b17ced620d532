import {
  type ControlVerdict,
  failed,
  inconclusive,
  notApplicable,
  passed,
  passedIf,
} from '@/lib/oauth/assessment/verdict';
import { visibleText } from '@/lib/oauth/builder/visible-text';
import { isText, type Members } from '@/lib/oauth/token/members';

/** Expectations of the recipient. An empty issuer or audience is not compared. */
export interface Expectations {
  issuer: string;
  audience: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Tolerated clock skew, in seconds. */
  tolerance: number;
}

const quoted = (value: unknown): string => visibleText(JSON.stringify(value)?.slice(0, 200) ?? 'nothing');

/** Checks the issuer (RFC 8725 section 3.8, RFC 9068 section 4). */
export function checkIssuer({ iss }: Members, { issuer }: Expectations): ControlVerdict {
  if (!isText(iss)) return failed('“iss” is missing or not a text: nobody vouches for the token.');
  if (issuer === '') return inconclusive('“iss” is present. Say which issuer you expect to compare it.');
  return passedIf(iss === issuer, 'It is the expected issuer.', `The issuer is ${quoted(iss)}, not the expected one.`);
}

/** Checks the audience (RFC 8725 section 3.9, RFC 9068 section 4). */
export function checkAudience({ aud }: Members, { audience }: Expectations): ControlVerdict {
  const audiences = [aud].flat();
  if (aud === undefined || audiences.length === 0 || !audiences.every(isText)) {
    return failed('“aud” is missing or not text: every service would have to accept the token, or none.');
  }
  if (audience === '') return inconclusive('“aud” is present. Say which audience you are to compare it.');
  return passedIf(audiences.includes(audience), 'The expected audience is named.', `The token is for ${quoted(aud)}.`);
}

/** Checks the expiry (RFC 7519 section 4.1.4). */
export function checkExpiry({ exp }: Members, { now, tolerance }: Expectations): ControlVerdict {
  if (exp === undefined) return failed('“exp” is missing: the token never ends.');
  if (typeof exp !== 'number') return failed('“exp” is not a number of seconds (RFC 7519 section 2).');
  return passedIf(exp + tolerance > now / 1000, 'It has not expired.', 'It has expired.');
}

/** Checks `nbf` (RFC 7519 section 4.1.5), and that `iat` is not in the future. */
export function checkStart({ nbf, iat }: Members, { now, tolerance }: Expectations): ControlVerdict {
  const latest = now / 1000 + tolerance;
  const isWrong = [nbf, iat].some((time) => time !== undefined && typeof time !== 'number');
  if (isWrong) return failed('“nbf” or “iat” is not a number of seconds (RFC 7519 section 2).');
  if (typeof nbf === 'number' && nbf > latest) return failed('It is not valid yet (nbf).');
  if (typeof iat === 'number' && iat > latest) return failed('It was issued in the future (iat).');
  return nbf === undefined && iat === undefined
    ? notApplicable('It names neither nbf nor iat.')
    : passed('It is valid already.');
}
