import { Secret, TOTP } from 'otpauth';
import type { Millis } from '@/lib/units';

/** Parameters that every authenticator app supports, the defaults of RFC 6238: SHA-1, six digits, 30 seconds. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Time steps by which the clock of a phone may differ (RFC 6238, section 5.2). */
const TOLERATED_STEPS = 1;
/** Length of the secret: 160 bits, the length of the hash (RFC 4226, section 4). */
const SECRET_BYTES = 20;

/** Creates a shared secret in base32, the form that authenticator apps accept. */
export function generateTotpSecret(randomBytes: (size: number) => Uint8Array): string {
  return new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32;
}

/** Builds the `otpauth:` URI that an authenticator app reads from a QR code. @param host distinguishes installations */
export function buildTotpUri(secret: string, account: string, host: string): string {
  return new TOTP({ ...PARAMETERS, secret, label: account, issuer: `Sluice ${host}` }).toString();
}

/** Returns the time step of a code, or null if it is no code of this secret at this time. */
export function findCodeStep(secret: string, code: string, now: Millis): number | null {
  const totp = new TOTP({ ...PARAMETERS, secret });
  const delta = totp.validate({ token: code, timestamp: now, window: TOLERATED_STEPS });
  return delta === null ? null : totp.counter({ timestamp: now }) + delta;
}
