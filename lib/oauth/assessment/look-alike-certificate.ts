import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import { type DerValue, encodeDer, readSequence } from '@/lib/oauth/token/der';
import {
  describeSelfSigned,
  encodeCommonName,
  encodeValidity,
  signCertificate,
} from '@/lib/oauth/token/self-signed-certificate';

const generateKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** Formats a certificate and its key as PEM. */
function createClientCertificate(certificate: Buffer, key: KeyObject): ClientCertificate {
  const lines = certificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return {
    chain: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Creates a self-signed certificate that no client has registered. */
export function createStrangeCertificate(): ClientCertificate {
  const key = generateKey();
  return createClientCertificate(signCertificate(describeSelfSigned(encodeCommonName('sluice')), key), key);
}

/** Reads the fields of a certificate that its copy repeats. */
function readFields(chain: string) {
  const [content] = readSequence(new X509Certificate(chain).raw) ?? [];
  const encode = ({ tag, content: bytes }: DerValue) => encodeDer(tag, bytes);
  const values = content === undefined ? [] : (readSequence(encode(content)) ?? []);
  // The version is explicit unless it is the first one, which has no extensions.
  const [serial, , issuer, validity, subject, , ...rest] = values.slice(values[0]?.tag === 0xa0 ? 1 : 0).map(encode);
  if (serial === undefined || issuer === undefined || validity === undefined || subject === undefined)
    throw new TypeError('The certificate is not as RFC 5280 has it.');
  return { serial, issuer, validity, subject, rest };
}

/** Copies all fields of a certificate for another key. The signature is not that of its issuer. */
export function copyForAnotherKey({ chain }: ClientCertificate): ClientCertificate {
  const key = generateKey();
  return createClientCertificate(signCertificate(readFields(chain), key), key);
}

/** Creates a self-signed certificate for the same subject, with the same further names, for another key. */
export function copySubject({ chain }: ClientCertificate): ClientCertificate {
  const key = generateKey();
  const { subject, rest } = readFields(chain);
  return createClientCertificate(signCertificate(describeSelfSigned(subject, rest), key), key);
}

/** Signs a self-signed certificate again, as one that expired. */
export function copyExpired({ chain, key }: ClientCertificate): ClientCertificate {
  const own = createPrivateKey(key);
  const validity = encodeValidity('200101000000Z', '210101000000Z');
  return createClientCertificate(signCertificate({ ...readFields(chain), validity }, own), own);
}

/** Returns whether a certificate names itself as its issuer. */
export function isSelfSigned({ chain }: ClientCertificate): boolean {
  const { issuer, subject } = new X509Certificate(chain);
  return issuer === subject;
}
