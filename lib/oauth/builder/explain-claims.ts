import { visibleText } from '@/lib/oauth/builder/visible-text';

/** A claim, its value as text that is safe to show, and what it means. */
export interface ExplainedClaim {
  name: string;
  value: string;
  meaning: string;
  /** For `exp`: milliseconds until then, negative when it has passed. For a countdown. */
  remainingMs?: number;
}

const LONGEST = 2_048;
const MOST = 100;

const MEANINGS: Readonly<Record<string, string>> = {
  iss: 'Who issued the token.',
  sub: 'The subject of the token.',
  aud: 'The services that the token is for.',
  exp: 'When the token ends.',
  iat: 'When the token was issued.',
  nbf: 'When the token becomes valid.',
  jti: 'The id of this token.',
  client_id: 'The client that the token was issued to.',
  scope: 'What the token allows.',
  nonce: 'Ties an ID token to the request of the client.',
  auth_time: 'When the user signed in.',
  cnf: 'The key that the holder has to prove (RFC 7800).',
  azp: 'The client that the token was issued to (OpenID Connect).',
  acr: 'How strongly the user was authenticated.',
  amr: 'How the user was authenticated.',
  email: "The user's e-mail address.",
  email_verified: 'Whether the address was verified.',
  name: "The user's name.",
  grant_id: "The grant behind the token: tokens of one grant end together (a claim of the lab's own).",
};
const TIMES = new Set(['exp', 'iat', 'nbf', 'auth_time']);

/** Explains each claim of a payload (RFC 7519 section 4.1, RFC 9068 section 2.2). At most 100 of them. */
export function explainClaims(
  payload: Readonly<Record<string, unknown>>,
  context: { now: number; issuer: string; audience: string },
): ExplainedClaim[] {
  return Object.entries(payload)
    .slice(0, MOST)
    .map(([name, value]) => {
      const own = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
      const note = remarkOnClaim(name, value, context);
      const claim: ExplainedClaim = {
        name: visibleText(name.slice(0, 256)),
        value: show(name, value),
        meaning: [own ?? 'A claim of the issuer.', ...(note === null ? [] : [note])].join(' '),
      };
      return name === 'exp' && typeof value === 'number'
        ? { ...claim, remainingMs: value * 1000 - context.now }
        : claim;
    });
}

function show(name: string, value: unknown): string {
  const date = TIMES.has(name) && typeof value === 'number' ? new Date(value * 1000) : null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const time = date !== null && !Number.isNaN(date.getTime()) ? ` (${date.toISOString()})` : '';
  return visibleText((text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text) + time);
}

function remarkOnClaim(
  name: string,
  value: unknown,
  context: { now: number; issuer: string; audience: string },
): string | null {
  const seconds = Math.floor(context.now / 1000);
  if (name === 'exp') return typeof value === 'number' && value > seconds ? 'It has not expired.' : 'It has expired.';
  if (name === 'nbf')
    return typeof value === 'number' && value <= seconds ? 'That time has passed.' : 'That time has not come.';
  if (name === 'iss') return value === context.issuer ? 'It is the expected issuer.' : 'It is not the expected issuer.';
  if (name === 'aud')
    return [value].flat().includes(context.audience)
      ? 'The data endpoint is among them.'
      : 'The data endpoint is not among them.';
  return null;
}
