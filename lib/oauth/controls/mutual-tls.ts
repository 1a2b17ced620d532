import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import type { Comparison } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, ConnectionRefusal } from '@/lib/oauth/assessment/verdict';
import { introspect } from '@/lib/oauth/controls/introspect';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

/** A client that has a certificate. */
export type CertifiedClient = TargetClient & { certificate: ClientCertificate };

/** Returns the first client with a certificate for which `fits` holds. Null if there is none. */
export function findCertifiedClient(
  probe: Probe,
  fits: (client: TargetClient) => boolean = () => true,
): CertifiedClient | null {
  for (const client of probe.listClients()) {
    const { certificate } = client;
    if (certificate !== undefined && fits(client)) return { ...client, certificate };
  }
  return null;
}

/** Returns a client with a certificate. @throws CannotProbe not_applicable if there is none */
export function requireCertifiedClient(probe: Probe): CertifiedClient {
  const client = findCertifiedClient(probe);
  if (client !== null) return client;
  throw new CannotProbe('not_applicable', 'No client with a certificate is known.');
}

/**
 * Checks that the server of an address asks for certificates in TLS handshakes. Otherwise none reaches it, and what it
 * answers shows nothing of them.
 * @throws CannotProbe not_applicable without TLS, inconclusive if none is asked for
 */
export async function requireCertificateRequest(
  probe: Probe,
  url: string,
  { certificate }: CertifiedClient,
): Promise<void> {
  const { protocol, host } = new URL(url);
  const { handshake } = probe.target;
  if (protocol !== 'https:' || handshake === undefined)
    throw new CannotProbe('not_applicable', `${host} is reached without TLS, so it sees no certificate.`);
  const seen = await probe.runOnce(`certificate request of ${host}`, () => handshake(url, { certificate }));
  if (seen.protocol === null)
    throw new CannotProbe('inconclusive', `${host} completes no TLS handshake with the certificate.`);
  if (!seen.asksForCertificate)
    throw new CannotProbe('inconclusive', `${host} asks for no certificate in the TLS handshake, so it sees none.`);
}

/**
 * Compares a request whose certificate, or the lack of one, the server may refuse in TLS already. A connection that
 * ends twice is a refusal, if a request with the right certificate succeeds.
 */
export async function compareConnection(send: () => Promise<Comparison>): Promise<Comparison> {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ConnectionRefusal)) throw error;
    }
  }
  return { kind: 'refused', how: 'the end of the connection' };
}

const readThumbprint = ({ cnf }: Record<string, unknown>): string | null => {
  const value = typeof cnf === 'object' && cnf !== null ? { ...cnf } : {};
  return 'x5t#S256' in value && typeof value['x5t#S256'] === 'string' ? value['x5t#S256'] : null;
};

/**
 * Reads the thumbprint of the certificate that a token is bound to, in the token or by introspection (RFC 8705 sections
 * 3.1 and 3.2). Null if it is bound to none, undefined if nothing shows it.
 */
export async function readBinding(probe: Probe, token: string): Promise<string | null | undefined> {
  const claims = decodeClaims(token);
  const own = readThumbprint(claims);
  if (own !== null) return own;
  const answer = await introspect(probe, token);
  const isReadable = Object.keys(claims).length > 0 || answer.active === true;
  return readThumbprint(answer) ?? (isReadable ? null : undefined);
}
