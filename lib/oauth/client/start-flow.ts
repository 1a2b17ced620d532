import { type ClientFlow, EMPTY_FLOW } from '@/lib/oauth/client/plan-request';
import { pkcePair, randomText } from '@/lib/oauth/pkce';

/**
 * Starts a flow. State, nonce and PKCE tie its authorization request to this browser. Returns null on insecure pages.
 */
export async function startFlow(): Promise<ClientFlow | null> {
  const pair = await pkcePair();
  if (pair === null) return null;
  const { verifier: codeVerifier, challenge: codeChallenge } = pair;
  return { ...EMPTY_FLOW, state: randomText(), nonce: randomText(), codeVerifier, codeChallenge };
}
