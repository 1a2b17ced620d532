import type { JsonObject } from '@/lib/json';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import { BEST_PRACTICE } from '@/lib/oauth/token/best-practice-rules';
import { has } from '@/lib/oauth/token/members';
import { ACCESS_TOKEN, DPOP_PROOF, ID_TOKEN, LOGOUT_TOKEN, reportsLogout } from '@/lib/oauth/token/profile-rules';
import type { SignedToken } from '@/lib/oauth/token/read-token';
import { SPELLING } from '@/lib/oauth/token/spelling-rules';
import type { JudgedToken, TokenRule, TokenUse } from '@/lib/oauth/token/token-rule';

export interface TokenJudgement {
  /** Specification that requires it, such as `RFC 8725 3.1`. */
  source: string;
  title: string;
  /** True if it is recommended but not required. */
  advice: boolean;
  verdict: ControlVerdict;
}

/** Returns the type (RFC 7515 section 4.1.9), in lower case, without `application/`. */
const readType = (header: JsonObject) =>
  typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : '';

/** Returns what a token claims to be, or else resembles. */
export function detectTokenUse({ header, payload }: SignedToken): TokenUse {
  const claims = payload.members ?? {};
  const typ = readType(header.members ?? {});
  if (typ === 'at+jwt') return 'access token';
  if (typ === 'dpop+jwt') return 'DPoP proof';
  if (typ === 'logout+jwt') return 'logout token';
  if (typ !== '' && typ !== 'jwt') return 'JWT';
  if (reportsLogout(claims)) return 'logout token';
  if (['nonce', 'at_hash', 'c_hash', 's_hash'].some((name) => has(claims, name))) return 'ID token';
  if (has(claims, 'scope') || has(claims, 'scp') || has(claims, 'client_id')) return 'access token';
  return has(claims, 'auth_time') || has(claims, 'azp') ? 'ID token' : 'JWT';
}

const PROFILES: Readonly<Record<TokenUse, readonly TokenRule[]>> = {
  'access token': ACCESS_TOKEN,
  'ID token': ID_TOKEN,
  'DPoP proof': DPOP_PROOF,
  'logout token': LOGOUT_TOKEN,
  JWT: [],
};

/** Judges a token by RFC 8725 and by the profile of its kind, such as RFC 9068 or OpenID Connect Core. */
export function judgeToken(judged: JudgedToken): TokenJudgement[] {
  const { reading } = judged;
  const header = reading.header.members ?? {};
  const facts = {
    ...judged,
    header,
    claims: reading.payload.members ?? {},
    typ: readType(header),
    use: detectTokenUse(reading),
  };
  const profile = PROFILES[facts.use];
  return [...SPELLING, ...BEST_PRACTICE, ...profile].map(({ source, title, advice = false, judge }) => ({
    source,
    title,
    advice,
    verdict: judge(facts),
  }));
}
