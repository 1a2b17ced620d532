import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import type { Expectations } from '@/lib/oauth/token/check-claims';
import type { Members, SignedToken } from '@/lib/oauth/token/read-token';
import type { SignatureFinding } from '@/lib/oauth/token/verify-signature';

/** Everything that a judgement rests on. */
export interface JudgedToken extends Expectations {
  reading: SignedToken;
  /** Null as long as no key was given. */
  signature: SignatureFinding | null;
  /** The secret of an HMAC, if it is one that everybody tries. */
  guessedSecret: string | null;
}

/** What a token is, by its type and its claims. */
export type TokenUse = 'access token' | 'ID token' | 'JWT';

/** What rules look at: the parts, never absent. */
export interface TokenFacts extends JudgedToken {
  header: Members;
  claims: Members;
  typ: string;
  use: TokenUse;
}

/** Where it is asked, what it asks, and how that is seen. */
export type TokenRule = readonly [source: string, title: string, judge: (facts: TokenFacts) => ControlVerdict];

export const has = (members: Members, name: string) => Object.hasOwn(members, name);
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
