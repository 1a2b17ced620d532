import { FRESH, isGenerated } from '@/lib/oauth/builder/builder-request';
import { pkcePair, randomText } from '@/lib/oauth/pkce';

/**
 * Generates new values for some parameters of the authorization request, with the PKCE pair if `code_challenge` is
 * among them.
 */
export async function freshValues(names: readonly (typeof FRESH)[number][]) {
  const pair = names.includes('code_challenge') ? await pkcePair() : null;
  const fields: Record<string, string> = {
    ...(names.includes('state') ? { state: randomText() } : {}),
    ...(pair === null ? {} : { code_challenge: pair.challenge, code_challenge_method: 'S256' }),
  };
  return { fields, pair };
}

/**
 * Names the fields that a client would generate again for the next flow: generated values only, never typed or omitted
 * ones.
 */
export const generatedFields = (fields: Readonly<Record<string, string>>) =>
  FRESH.filter((name) => isGenerated(fields[name] ?? ''));
