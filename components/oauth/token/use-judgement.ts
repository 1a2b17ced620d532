import { useCallback } from 'react';
import { useNow } from '@/components/format/use-now';
import { usePromised } from '@/components/oauth/token/use-promised';
import { guessSecret } from '@/lib/oauth/token/guess-secret';
import { detectTokenUse, judgeToken } from '@/lib/oauth/token/judge-token';
import type { KeyToVerify } from '@/lib/oauth/token/read-keys';
import type { SignedToken } from '@/lib/oauth/token/read-token';
import { verifySignature } from '@/lib/oauth/token/verify-signature';

/** Accepted clock difference between issuer and reader, in seconds. */
const TOLERANCE = 5;

/**
 * Judges a token at the current time, by the reader's trusted keys (null for none) and expected issuer and audience.
 */
export function useJudgement(
  reading: SignedToken,
  keys: readonly KeyToVerify[] | null,
  expected: { issuer: string; audience: string },
) {
  const verify = useCallback(
    async () => (keys === null || keys.length === 0 ? null : verifySignature(reading, keys)),
    [reading, keys],
  );
  const signature = usePromised(verify);
  const guessedSecret = usePromised(useCallback(() => guessSecret(reading), [reading]));
  const now = useNow() ?? 0;
  const judgements = judgeToken({ reading, signature, guessedSecret, now, tolerance: TOLERANCE, ...expected });
  return { signature, guessedSecret, judgements, use: detectTokenUse(reading) };
}
