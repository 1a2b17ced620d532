import { X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import { identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareAccess } from '@/lib/oauth/assessment/comparison';
import {
  copyExpired,
  copyForAnotherKey,
  copySubject,
  createStrangeCertificate,
  isSelfSigned,
} from '@/lib/oauth/assessment/look-alike-certificate';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isCertified } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl, type Tries } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import {
  type CertifiedClient,
  compareConnection,
  findCertifiedClient,
  readBinding,
  requireCertificateRequest,
  requireCertifiedClient,
} from '@/lib/oauth/controls/mutual-tls';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { isUnauthenticated, redeemWithEach } from '@/lib/oauth/controls/token/unauthenticated';

const EXPIRED = 'the certificate, signed again as one that expired';

/** Creates certificates that must not authenticate a client, by their fault. */
function createWrongCertificates({ certificate, authentication }: CertifiedClient): Record<string, ClientCertificate> {
  const strange = createStrangeCertificate();
  return {
    'a copy of the certificate for another key': copyForAnotherKey(certificate),
    ...(isSelfSigned(certificate)
      ? {}
      : { 'a self-signed certificate for the same subject': copySubject(certificate) }),
    'another certificate, with the right one behind it': { ...strange, chain: strange.chain + certificate.chain },
    ...(authentication.method === 'self_signed_tls_client_auth' ? { [EXPIRED]: copyExpired(certificate) } : {}),
  };
}

/** Lists the headers by which proxies pass a certificate on, by name and form. */
function listForgedHeaders({ chain }: ClientCertificate): Record<string, Record<string, string>> {
  const certificate = new X509Certificate(chain);
  const pem = certificate.toString();
  const base64 = certificate.raw.toString('base64');
  const [escaped, line] = [encodeURIComponent(pem), pem.trim().replaceAll('\n', ' ')];
  const hash = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
  const subject = certificate.subject.split('\n').reverse().join(',').replace(/["\\]/g, '\\$&');
  const values: Record<string, Record<string, string>> = {
    'Client-Cert': { 'client-cert': `:${base64}:` },
    'X-Forwarded-Client-Cert': { 'x-forwarded-client-cert': `Hash=${hash};Cert="${escaped}";Subject="${subject}"` },
    'X-Forwarded-Tls-Client-Cert': { 'x-forwarded-tls-client-cert': base64 },
    'X-Amzn-Mtls-Clientcert': { 'x-amzn-mtls-clientcert': escaped },
    'X-ARR-ClientCert': { 'x-arr-clientcert': base64 },
    SSL_CLIENT_CERT: { ssl_client_cert: line },
  };
  for (const name of ['ssl-client-cert', 'X-SSL-Client-Cert', 'X-Client-Cert'])
    for (const [form, value] of Object.entries({ escaped, 'in one line': line, 'in base64': base64 }))
      values[`${name}, ${form}`] = { [name.toLowerCase()]: value };
  const isVerified = { 'ssl-client-verify': 'SUCCESS', 'x-ssl-client-verify': 'SUCCESS' };
  return Object.fromEntries(Object.entries(values).map(([label, headers]) => [label, { ...isVerified, ...headers }]));
}

const HEADER_SOURCES: Tries = {
  'Client-Cert': 'RFC 9440 4',
  'X-Forwarded-Client-Cert': 'RFC 8705 6.5',
  'X-Forwarded-Tls-Client-Cert': 'RFC 8705 6.5',
  'X-Amzn-Mtls-Clientcert': 'RFC 8705 6.5',
  'X-ARR-ClientCert': 'RFC 8705 6.5',
  SSL_CLIENT_CERT: 'CVE-2024-10039',
  'ssl-client-cert, escaped': 'CVE-2024-10039',
  'ssl-client-cert, in one line': 'CVE-2024-10039',
  'ssl-client-cert, in base64': 'CVE-2024-10039',
  'X-SSL-Client-Cert, escaped': 'RFC 8705 6.5',
  'X-SSL-Client-Cert, in one line': 'RFC 8705 6.5',
  'X-SSL-Client-Cert, in base64': 'RFC 8705 6.5',
  'X-Client-Cert, escaped': 'RFC 8705 6.5',
  'X-Client-Cert, in one line': 'RFC 8705 6.5',
  'X-Client-Cert, in base64': 'RFC 8705 6.5',
};

const atResource = (label: string): string => `${label} at the resource`;

/** Redeems codes of a client without its certificate, which a header carries instead. @throws CannotProbe */
async function redeemWithHeaders(probe: Probe, client: CertifiedClient): Promise<Map<string, Comparison>> {
  await requireCertificateRequest(probe, await probe.requireEndpoint('token_endpoint', client), client);
  if (await isUnauthenticated(probe, client)) throw createBroaderControlError('client-authentication');
  const forged = Object.entries(listForgedHeaders(client.certificate));
  const identified = identifyClient(client);
  return redeemWithEach(
    probe,
    client,
    Object.fromEntries(forged.map(([label, headers]) => [label, { ...identified, headers }])),
  );
}

/** Presents a bound token without its certificate, which a header carries instead. Null if it is not bound. */
async function presentWithHeaders(probe: Probe, client: CertifiedClient): Promise<Map<string, Comparison> | null> {
  const { resource } = probe.target;
  if (resource === null) return null;
  const { accessToken } = await probe.runCodeFlow({}, { client });
  if (typeof (await readBinding(probe, accessToken)) !== 'string') return null;
  await requireCertificateRequest(probe, resource.url, client);
  const present = async (label: string, headers: Record<string, string> = {}) =>
    compareConnection(async () =>
      compareAccess(await probe.presentToken(label, accessToken, { headers, withoutCertificate: true })),
    );
  if ((await present('Present a bound token without its certificate')).kind === 'accepted') return null;
  const comparisons = new Map<string, Comparison>();
  for (const [label, headers] of Object.entries(listForgedHeaders(client.certificate)))
    comparisons.set(atResource(label), await present(`Present it with ${label}`, headers));
  if ((await probe.presentToken('Present it with its certificate', accessToken)).accepted) return comparisons;
  throw new CannotProbe('inconclusive', 'The resource does not accept a bound token with its certificate.');
}

/** Controls for clients that authenticate by a certificate (RFC 8705 section 2). */
export const CLIENT_CERTIFICATES: readonly Control[] = [
  defineControl({
    id: 'client-certificate',
    title: 'A certificate authenticates only its client',
    wrong: 'A certificate that merely looks like that of a client authenticates it',
    severity: 'critical',
    area: 'token',
    source: ['RFC 8705 2', 'RFC 8705 7.4'],
    switchable: false,
    needs: ['client with a certificate', 'login'],
    protectsFrom: 'Anyone who knows the name in a certificate acts as its client.',
    tries: {
      'a copy of the certificate for another key': 'RFC 8705 2.2',
      'a self-signed certificate for the same subject': 'RFC 8705 7.4',
      'another certificate, with the right one behind it': 'CVE-2023-2422',
      [EXPIRED]: 'RFC 5280 6.1.3',
    },
    async probe(probe) {
      const client = findCertifiedClient(probe, isCertified);
      if (client === null)
        throw new CannotProbe('not_applicable', 'No client that authenticates by a certificate is known.');
      await requireCertificateRequest(probe, await probe.requireEndpoint('token_endpoint', client), client);
      if (await isUnauthenticated(probe, client)) throw createBroaderControlError('client-authentication');
      const wrong = Object.entries(createWrongCertificates(client));
      const identified = identifyClient(client);
      return redeemWithEach(
        probe,
        client,
        Object.fromEntries(wrong.map(([label, certificate]) => [label, { ...identified, certificate }])),
      );
    },
    rule: (comparisons) =>
      judgeRefusals(comparisons, {
        label: EXPIRED,
        severity: 'low',
        describe: (reason) => `${reason} Its key is that of the client.`,
      }),
  }),
  defineControl({
    id: 'client-certificate-header',
    title: 'A certificate counts in the TLS handshake alone',
    wrong: 'A certificate in a header of the request counts',
    severity: 'critical',
    area: 'token',
    source: ['RFC 8705 6.5', 'RFC 9440 4'],
    switchable: false,
    needs: ['client with a certificate', 'login'],
    protectsFrom: 'Anyone who has seen the certificate of a client, which is public, acts as the client.',
    tries: Object.fromEntries(
      Object.entries(HEADER_SOURCES).flatMap(([label, source]) => [
        [label, source],
        [atResource(label), source],
      ]),
    ),
    async probe(probe) {
      const certified = findCertifiedClient(probe, isCertified);
      const client = certified ?? requireCertifiedClient(probe);
      const atToken = certified === null ? null : await redeemWithHeaders(probe, certified);
      const isFound = [...(atToken?.values() ?? [])].some(({ kind }) => kind === 'accepted');
      const presented = isFound
        ? null
        : await presentWithHeaders(probe, client).catch((error: unknown) => {
            if (error instanceof CannotProbe && error.kind === 'not_applicable' && atToken !== null) return null;
            throw error;
          });
      if (atToken === null && presented === null)
        throw new CannotProbe('not_applicable', 'The certificate neither authenticates the client nor binds a token.');
      return new Map([...(atToken ?? []), ...(presented ?? [])]);
    },
    rule: judgeRefusals,
  }),
];
