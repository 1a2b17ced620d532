import { KeyObject, sign } from 'node:crypto';
import { encodeDer } from '@/lib/oauth/token/der';

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;

/** Algorithm identifiers of certificate signatures, by the type of the key (RFC 3279, RFC 4055, RFC 8410). */
const ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  rsa: Uint8Array.of(6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 11, 5, 0),
  ec: Uint8Array.of(6, 8, 42, 134, 72, 206, 61, 4, 3, 2),
  ed25519: Uint8Array.of(6, 3, 43, 101, 112),
};
const COMMON_NAME = Uint8Array.of(6, 3, 85, 4, 3);
const VERSION_3 = Uint8Array.of(0xa0, 3, 2, 1, 2);

/** Creates a self-signed certificate for a key (RFC 5280 section 4.1), in DER. No verifier should trust it. */
export function createSelfSignedCertificate(keys: { privateKey: CryptoKey; publicKey: CryptoKey }): Buffer {
  const key = KeyObject.from(keys.privateKey);
  const spki = KeyObject.from(keys.publicKey).export({ type: 'spki', format: 'der' });
  const kind = key.asymmetricKeyType ?? '';
  const algorithm = encodeDer(SEQUENCE, ALGORITHMS[kind] ?? ALGORITHMS.rsa ?? new Uint8Array());
  const encodeText = (tag: number, value: string) => encodeDer(tag, new TextEncoder().encode(value));
  const name = encodeDer(SEQUENCE, encodeDer(0x31, encodeDer(SEQUENCE, COMMON_NAME, encodeText(0x0c, 'sluice'))));
  const validity = encodeDer(SEQUENCE, encodeText(0x17, '200101000000Z'), encodeText(0x17, '491231235959Z'));
  const serial = Uint8Array.of(2, 1, 1);
  const content = encodeDer(SEQUENCE, VERSION_3, serial, algorithm, name, validity, name, spki);
  const signature = sign(kind === 'ed25519' ? null : 'sha256', content, key);
  return Buffer.from(encodeDer(SEQUENCE, content, algorithm, encodeDer(BIT_STRING, Uint8Array.of(0), signature)));
}
