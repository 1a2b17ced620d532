import { hashSecret } from '@/lib/auth/secret-hash';
import type { MemberId } from '@/lib/ids';

const CODES = 10;
/** Base32 of Crockford: no letter looks like a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 80 random bits: enough that a plain hash cannot be searched. */
const LENGTH = 16;

/** Ten new recovery codes, such as `7k2m-09xq-vt3c-4hpd`. */
export function newRecoveryCodes(randomBytes: (size: number) => Uint8Array): string[] {
  return Array.from({ length: CODES }, () => {
    const text = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
    return (text.match(/.{4}/g) ?? []).join('-');
  });
}

/** What is stored of a code, however it was typed: upper case, without dashes, `O` for `0`, `I` or `L` for `1`. */
export function recoveryCodeHash(memberId: MemberId, code: string): string {
  const plain = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1');
  return hashSecret(`${memberId} ${plain}`);
}
