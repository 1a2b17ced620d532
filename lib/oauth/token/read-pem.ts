import { exportJWK, importPKCS8, importSPKI, importX509, type JWK } from 'jose';
import { wrapEcPrivateKey, wrapRsaPrivateKey, wrapRsaPublicKey } from '@/lib/oauth/token/der';
import { readBase64url } from '@/lib/oauth/token/read-base64url';

/** A key of a PEM block, with its private members if it has any, and the label of the block. */
interface PemKey {
  key: JWK;
  label: string;
}

type PemReading = { ok: true; keys: readonly PemKey[] } | { ok: false; problem: string };

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;
const CANDIDATES = ['RS256', 'ES256', 'ES384', 'ES512', 'Ed25519', 'ECDH-ES'];
/** Blocks without a key. The key itself names its curve. */
const WITHOUT_KEY = new Set(['EC PARAMETERS', 'DH PARAMETERS', 'CERTIFICATE REQUEST']);
const ENCRYPTED = 'The private key is encrypted. Decrypt it: openssl pkey -in key.pem';

/** Labels to try for base64 without BEGIN and END. Some servers publish keys in this form. */
const BARE = ['PUBLIC KEY', 'PRIVATE KEY', 'RSA PUBLIC KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'CERTIFICATE'];

/** Reads the keys of PEM blocks: SPKI, certificate, PKCS #8, PKCS #1, SEC 1. Never throws. */
export async function readPemKeys(text: string, most: number): Promise<PemReading> {
  if (!text.includes('-----BEGIN ')) return readBareBase64(text);
  if (/^Proc-Type: 4,ENCRYPTED/m.test(text)) return { ok: false, problem: ENCRYPTED };
  const blocks = [...text.matchAll(BLOCK)].filter(([, label = '']) => !WITHOUT_KEY.has(label)).slice(0, most);
  if (blocks.length === 0)
    return { ok: false, problem: 'The PEM is cut off: BEGIN and END lines with base64 between them are expected.' };
  const keys: PemKey[] = [];
  for (const [, label = '', body = ''] of blocks) {
    const key = await readBlock(label, body);
    if (typeof key === 'string') return { ok: false, problem: key };
    keys.push({ key, label });
  }
  return { ok: true, keys };
}

async function readBareBase64(text: string): Promise<PemReading> {
  const body = text.replace(/\s+/g, '');
  // DER starts with a sequence of more than a few bytes.
  if (/^M[A-Za-z0-9+/]{40,}={0,2}$/.test(body)) {
    for (const label of BARE) {
      const key = await readBlock(label, body);
      if (typeof key !== 'string') return { ok: true, keys: [{ key, label }] };
    }
  }
  return { ok: false, problem: 'This is not PEM (“-----BEGIN …”).' };
}

async function readBlock(label: string, body: string): Promise<JWK | string> {
  const der = readBase64url(body.replace(/\s+/g, '')).bytes;
  if (der === null) return 'The PEM is damaged: its lines are not base64.';
  const extractable = { extractable: true };
  switch (label) {
    case 'PUBLIC KEY':
      return importByAnyAlgorithm((alg) => importSPKI(formatPem(label, der), alg, extractable));
    case 'RSA PUBLIC KEY':
      return importByAnyAlgorithm((alg) =>
        importSPKI(formatPem('PUBLIC KEY', wrapRsaPublicKey(der)), alg, extractable),
      );
    case 'CERTIFICATE':
    case 'X509 CERTIFICATE':
      return importByAnyAlgorithm((alg) => importX509(formatPem('CERTIFICATE', der), alg, extractable));
    case 'PRIVATE KEY':
      return importByAnyAlgorithm((alg) => importPKCS8(formatPem(label, der), alg, extractable));
    case 'RSA PRIVATE KEY':
      return importByAnyAlgorithm((alg) =>
        importPKCS8(formatPem('PRIVATE KEY', wrapRsaPrivateKey(der)), alg, extractable),
      );
    case 'EC PRIVATE KEY': {
      const wrapped = wrapEcPrivateKey(der);
      if (wrapped === null) return NO_KEY;
      return importByAnyAlgorithm((alg) => importPKCS8(formatPem('PRIVATE KEY', wrapped), alg, extractable));
    }
    case 'ENCRYPTED PRIVATE KEY':
      return ENCRYPTED;
    default:
      return `A PEM block “${label}” is not read. Paste the public key or the certificate.`;
  }
}

function formatPem(label: string, der: Uint8Array): string {
  const base64 = btoa(Array.from(der, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN ${label}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----`;
}

const NO_KEY = 'The PEM holds no key that a browser can use: RSA, P-256, P-384, P-521 or Ed25519.';

/** Imports a PEM block. It does not name the algorithm that WebCrypto requires, so each one is tried. */
async function importByAnyAlgorithm(importAs: (alg: string) => Promise<CryptoKey>): Promise<JWK | string> {
  for (const alg of CANDIDATES) {
    try {
      return await exportJWK(await importAs(alg));
    } catch {
      // The key has another type.
    }
  }
  return NO_KEY;
}
