import { type ClientFlow, EMPTY_FLOW } from '@/lib/oauth/client/plan-request';
import { createPkcePair, generateRandomText } from '@/lib/oauth/pkce';

/**
 * Starts a flow. State, nonce and PKCE tie its authorization request to this browser. Returns null on insecure pages.
 */
export async function startFlow(): Promise<ClientFlow | null> {
  const pair = await createPkcePair();
  if (pair === null) return null;
  const { verifier: codeVerifier, challenge: codeChallenge } = pair;
  return { ...EMPTY_FLOW, state: generateRandomText(), nonce: generateRandomText(), codeVerifier, codeChallenge };
}
