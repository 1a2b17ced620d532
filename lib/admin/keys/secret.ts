import { hashSecret } from '@/lib/auth/secret-hash';

const SECRET_BYTES = 32;
/** `slk_` and eight characters: 208 of the 256 random bits stay unseen. */
const PREFIX_LENGTH = 12;

/** The secret of an API key and what is kept of it. */
export interface ApiKeySecret {
  /** `slk_` and 256 random bits in base64url. Shown once. */
  secret: string;
  prefix: string;
  secretHash: string;
}

/** Makes a secret. */
export function newApiKeySecret(randomBytes: (size: number) => Uint8Array): ApiKeySecret {
  const secret = `slk_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')}`;
  return { secret, prefix: secret.slice(0, PREFIX_LENGTH), secretHash: hashSecret(secret) };
}
