import { createPublicKey, KeyObject, sign } from 'node:crypto';
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

/** Fields of a certificate (RFC 5280 section 4.1), each in DER. */
interface CertificateFields {
  serial: Uint8Array;
  issuer: Uint8Array;
  validity: Uint8Array;
  subject: Uint8Array;
  /** Fields after the public key. */
  rest: readonly Uint8Array[];
}

const encodeText = (tag: number, value: string) => encodeDer(tag, new TextEncoder().encode(value));

/** Encodes a name that is one common name (RFC 5280 section 4.1.2.4). */
export const encodeCommonName = (name: string): Uint8Array =>
  encodeDer(SEQUENCE, encodeDer(0x31, encodeDer(SEQUENCE, COMMON_NAME, encodeText(0x0c, name))));

/** Encodes a validity, in the form `YYMMDDHHMMSSZ` (RFC 5280 section 4.1.2.5.1). */
export const encodeValidity = (from: string, until: string): Uint8Array =>
  encodeDer(SEQUENCE, encodeText(0x17, from), encodeText(0x17, until));

/** Creates a self-signed certificate in DER, with any issuer name. */
export function signCertificate(
  { serial, issuer, validity, subject, rest }: CertificateFields,
  key: KeyObject,
): Buffer {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const kind = key.asymmetricKeyType ?? '';
  const algorithm = encodeDer(SEQUENCE, ALGORITHMS[kind] ?? ALGORITHMS.rsa ?? new Uint8Array());
  const content = encodeDer(SEQUENCE, VERSION_3, serial, algorithm, issuer, validity, subject, spki, ...rest);
  const signature = sign(kind === 'ed25519' ? null : 'sha256', content, key);
  return Buffer.from(encodeDer(SEQUENCE, content, algorithm, encodeDer(BIT_STRING, Uint8Array.of(0), signature)));
}

/** Returns the fields of a certificate that names one subject, which issues it itself. No verifier should trust it. */
export function describeSelfSigned(subject: Uint8Array, rest: readonly Uint8Array[] = []): CertificateFields {
  const validity = encodeValidity('200101000000Z', '491231235959Z');
  return { serial: Uint8Array.of(2, 1, 1), issuer: subject, validity, subject, rest };
}

/** Creates a self-signed certificate for a key (RFC 5280 section 4.1), in DER. */
export const createSelfSignedCertificate = (privateKey: CryptoKey): Buffer =>
  signCertificate(describeSelfSigned(encodeCommonName('sluice')), KeyObject.from(privateKey));
