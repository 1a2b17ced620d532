import { CENSORED, type Hide } from '@/lib/logging/redacted-text';
import { SecretFinder } from '@/lib/logging/secret-finder';
import { withoutTokens } from '@/lib/logging/without-tokens';

/** Shorter secrets are too often ordinary words to be hidden wherever they stand. */
const SHORTEST = 8;

/** Takes the given secrets out of a text, in every encoding, and whatever looks like a token. */
export function secretHider(secrets: readonly string[]): Hide {
  const finder = new SecretFinder();
  for (const secret of secrets) if (secret.length >= SHORTEST) finder.add(secret);
  return (text) => withoutTokens(finder.hide(text, () => CENSORED));
}
