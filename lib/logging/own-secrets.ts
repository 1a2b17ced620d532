import type { Config } from '@/lib/config';
import { CENSORED, type Hide } from '@/lib/logging/redacted-text';
import { SecretFinder } from '@/lib/logging/secret-finder';
import { withoutTokens } from '@/lib/logging/without-tokens';

/** Shorter values of the configuration are ordinary words too often to be hidden wherever they stand. */
const SHORTEST = 8;
const SECRETS = [
  'AUTH_SECRET',
  'CRON_SECRET',
  'DATABASE_AUTH_TOKEN',
  'GITHUB_CLIENT_SECRET',
  'OIDC_CLIENT_SECRET',
  'SLUICE_ADMIN_PASSWORD',
  'SLUICE_ADMIN_TOKEN',
] as const satisfies readonly (keyof Config)[];
const ADDRESSES = ['DATABASE_URL', 'REDIS_URL'] as const satisfies readonly (keyof Config)[];

/** The part of the configuration that holds secrets. */
export type SecretConfig = Partial<Pick<Config, (typeof SECRETS)[number] | (typeof ADDRESSES)[number]>>;

/**
 * Takes out of a text what must not be written anywhere: the secrets of the configuration by value, in every encoding,
 * and whatever looks like a token.
 */
export function ownSecretHider(config: SecretConfig): Hide {
  const finder = new SecretFinder();
  const inAddresses = ADDRESSES.map((name) => passwordOf(config[name]));
  for (const secret of [...SECRETS.map((name) => config[name]), ...inAddresses]) {
    if (secret !== undefined && secret.length >= SHORTEST) finder.add(secret);
  }
  return (text) => withoutTokens(finder.hide(text, () => CENSORED));
}

function passwordOf(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { password } = new URL(address);
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
