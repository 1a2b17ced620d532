import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import type { Expectations } from '@/lib/oauth/token/check-claims';
import type { Members } from '@/lib/oauth/token/members';
import type { SignedToken } from '@/lib/oauth/token/read-token';
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
export type TokenUse = 'access token' | 'ID token' | 'DPoP proof' | 'JWT';

/** What rules look at: the parts, never absent. */
interface TokenFacts extends JudgedToken {
  header: Members;
  claims: Members;
  typ: string;
  use: TokenUse;
}

/** One demand of a specification on a token. */
export interface TokenRule {
  /** `RFC 8725 3.1` */
  source: string;
  title: string;
  /** The specification recommends it and does not require it. */
  advice?: true;
  judge: (facts: TokenFacts) => ControlVerdict;
}
