import { hashSecret } from '@/lib/auth/secret-hash';
import type { MemberId } from '@/lib/ids';

const CODES = 10;
/** Crockford's Base32 alphabet. No letter looks like a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Length of a code. Its 80 random bits make a search of the plain hash infeasible. */
const LENGTH = 16;

/** Creates ten recovery codes, such as `7k2m-09xq-vt3c-4hpd`. */
export function generateRecoveryCodes(randomBytes: (size: number) => Uint8Array): string[] {
  return Array.from({ length: CODES }, () => {
    const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return (text.match(/.{4}/g) ?? []).join('-');
  });
}

/** Hashes a code for storage. Case, dashes, `O` for `0`, and `I` or `L` for `1` make no difference. */
export function hashRecoveryCode(memberId: MemberId, code: string): string {
  const plain = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1');
  return hashSecret(`${memberId} ${plain}`);
}
