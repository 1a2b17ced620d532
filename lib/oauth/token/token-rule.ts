import type { JsonObject } from '@/lib/json';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import type { Expectations } from '@/lib/oauth/token/check-claims';
import type { SignedToken } from '@/lib/oauth/token/read-token';
import type { SignatureFinding } from '@/lib/oauth/token/verify-signature';

/** Input of a judgement. */
export interface JudgedToken extends Expectations {
  reading: SignedToken;
  /** Null until a key is given. */
  signature: SignatureFinding | null;
  /** The secret of an HMAC, if it is a common one. */
  guessedSecret: string | null;
}

/** Kind of a token, from its type and its claims. */
export type TokenUse = 'access token' | 'ID token' | 'DPoP proof' | 'logout token' | 'JWT';

/** Input of the rules. Missing parts are empty. */
interface TokenFacts extends JudgedToken {
  header: JsonObject;
  claims: JsonObject;
  typ: string;
  use: TokenUse;
}

/** One requirement of a specification on a token. */
export interface TokenRule {
  /** Specification that states it, such as `RFC 8725 3.1`. */
  source: string;
  title: string;
  /** True if the specification only recommends it. */
  advice?: true;
  judge: (facts: TokenFacts) => ControlVerdict;
}
