import { Secret, TOTP } from 'otpauth';
import type { Millis } from '@/lib/units';

/** What every authenticator app supports, and the defaults of RFC 6238: SHA-1, six digits, 30 seconds. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Clocks of phones may be this many time steps off (RFC 6238, section 5.2). */
const TOLERATED_STEPS = 1;
/** 160 bits, the length of the hash (RFC 4226, section 4). */
const SECRET_BYTES = 20;

/** A new shared secret in base32, as authenticator apps take it. */
export function newTotpSecret(randomBytes: (size: number) => Uint8Array): string {
  return new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32;
}

/** The `otpauth:` URI that an authenticator app reads from a QR code. @param host tells installations apart */
export function totpUri(secret: string, account: string, host: string): string {
  return new TOTP({ ...PARAMETERS, secret, label: account, issuer: `Sluice ${host}` }).toString();
}

/** The time step that a code belongs to; null when it is no code of this secret at this time. */
export function stepOfCode(secret: string, code: string, now: Millis): number | null {
  const totp = new TOTP({ ...PARAMETERS, secret });
  const delta = totp.validate({ token: code, timestamp: now, window: TOLERATED_STEPS });
  return delta === null ? null : totp.counter({ timestamp: now }) + delta;
}
