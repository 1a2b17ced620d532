import { createHash, createPrivateKey, type JsonWebKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ServerTarget } from '@/lib/contract/assessment-target';
import type { Millis } from '@/lib/units';

/** A certificate that a client presents in TLS handshakes (RFC 8705), and its private key, both as PEM. */
export interface ClientCertificate {
  /** The certificate of the client, then those that lead to its authority. */
  chain: string;
  key: string;
}

type GivenClient = NonNullable<ServerTarget['client']>;

/** A field that is wrong, and what is wrong with it: the end of a sentence that begins with the field. */
interface FieldProblem {
  path: string;
  message: string;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads the first certificate of a chain. Null if one of the chain cannot be read, or if there is none. */
function readCertificate(chain: string): X509Certificate | null {
  try {
    const [first, ...more] = (chain.match(BLOCK) ?? []).map((block) => new X509Certificate(block));
    return first !== undefined && more.length < 10 ? first : null;
  } catch {
    return null;
  }
}

function readKey(key: GivenClient['key']): KeyObject | null {
  try {
    if (typeof key === 'string') return createPrivateKey(key);
    return key === undefined ? null : createPrivateKey({ key: key as JsonWebKey, format: 'jwk' });
  } catch {
    return null;
  }
}

/** Returns what is wrong with the certificate of a client or with its key, or null. */
function findProblem({ certificate = '', key }: GivenClient, now: Millis): FieldProblem | null {
  const read = readCertificate(certificate);
  if (read === null) return { path: 'certificate', message: 'must be a certificate as PEM' };
  if (Date.parse(read.validFrom) > now)
    return { path: 'certificate', message: `must be valid now, not from ${read.validFrom} on` };
  if (Date.parse(read.validTo) <= now)
    return { path: 'certificate', message: `must be valid now: it expired on ${read.validTo}` };
  const privateKey = readKey(key);
  if (privateKey === null)
    return { path: 'key', message: 'must be the private key of the certificate, as PEM without a password or as JWK' };
  return read.checkPrivateKey(privateKey)
    ? null
    : { path: 'key', message: 'must be the private key of the certificate: it is another one' };
}

/** Returns the first field of a server that is wrong with a certificate or its key, or null. */
export function findCertificateProblem(server: ServerTarget, now: Millis): FieldProblem | null {
  for (const name of ['client', 'other_client', 'native_client'] as const) {
    const client = server[name];
    if (client?.certificate === undefined) continue;
    const problem = findProblem(client, now);
    if (problem !== null) return { ...problem, path: `${name}.${problem.path}` };
  }
  return null;
}

/** Reads the certificate of a client. Undefined if it has none, or if it cannot be read. */
export function readClientCertificate({ certificate, key }: GivenClient): ClientCertificate | undefined {
  const privateKey = readKey(key);
  if (certificate === undefined || privateKey === null) return undefined;
  return { chain: certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** Returns the thumbprint of a client's certificate, as `x5t#S256` has it (RFC 8705 section 3.1). */
export const computeThumbprint = ({ chain }: ClientCertificate): string =>
  createHash('sha256').update(new X509Certificate(chain).raw).digest('base64url');
