import { FRESH, isGenerated } from '@/lib/oauth/builder/builder-request';
import { pkcePair, randomText } from '@/lib/oauth/pkce';

/** Fresh values for some parameters of the authorization request, and the pair behind a challenge among them. */
export async function freshValues(names: readonly (typeof FRESH)[number][]) {
  const pair = names.includes('code_challenge') ? await pkcePair() : null;
  const fields: Record<string, string> = {
    ...(names.includes('state') ? { state: randomText() } : {}),
    ...(pair === null ? {} : { code_challenge: pair.challenge, code_challenge_method: 'S256' }),
  };
  return { fields, pair };
}

/** What a client would make anew for the next flow: whatever was generated, and nothing that was typed or left out. */
export const generatedFields = (fields: Readonly<Record<string, string>>) =>
  FRESH.filter((name) => isGenerated(fields[name] ?? ''));
