import { importJWK, type JWTPayload, SignJWT } from 'jose';
import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import { createStrangeCertificate } from '@/lib/oauth/assessment/look-alike-certificate';
import { isCertified, type TargetClient } from '@/lib/oauth/assessment/target';

/** Form fields (null removes one), headers and the certificate by which a client authenticates a request. */
export interface Credentials {
  fields: Record<string, string | null>;
  headers: Record<string, string>;
  certificate?: ClientCertificate;
}

/** Credentials, or a function that creates them for each request, because an assertion expires soon and works once. */
export type CredentialsSource = Credentials | (() => Promise<Credentials>);

/** Returns the credentials for one request. */
export const resolveCredentials = async (source: CredentialsSource): Promise<Credentials> =>
  typeof source === 'function' ? source() : source;

/** Builds an HTTP Basic header. Both parts are form-encoded (RFC 6749 section 2.3.1). */
export function buildBasicHeader(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

/** Identifies a client without authenticating it. That must not suffice for a confidential client. */
export const identifyClient = (client: TargetClient): Credentials => ({
  fields: { client_id: client.id },
  headers: {},
});

/** Creates the credentials of a client, by its method. */
export async function createCredentials(client: TargetClient, assertion: AssertionOptions): Promise<Credentials> {
  const { authentication, id } = client;
  switch (authentication.method) {
    case 'none':
    case 'tls_client_auth':
    case 'self_signed_tls_client_auth':
      return { ...identifyClient(client), certificate: client.certificate };
    case 'basic':
      return { fields: {}, headers: { authorization: buildBasicHeader(id, authentication.secret) } };
    case 'post':
      return { fields: { client_id: id, client_secret: authentication.secret }, headers: {} };
    case 'private_key_jwt':
      return createAssertionCredentials(client, await signAssertion(client, assertion));
  }
}

/** Creates credentials with a wrong secret, signature or certificate, by the client's method. */
export async function createWrongCredentials(client: TargetClient, assertion: AssertionOptions): Promise<Credentials> {
  const { authentication } = client;
  if (authentication.method === 'basic' || authentication.method === 'post') {
    return createCredentials({ ...client, authentication: { ...authentication, secret: 'not-the-secret' } }, assertion);
  }
  if (isCertified(client)) return { ...identifyClient(client), certificate: createStrangeCertificate() };
  const [header, claims] = (await signAssertion(client, assertion)).split('.');
  return createAssertionCredentials(client, `${header}.${claims}.${'A'.repeat(86)}`);
}

/** Input of an assertion. */
export interface AssertionOptions {
  audience: string;
  /** Seconds since the epoch. */
  now: number;
  jti: string;
  /** Claims that replace the valid ones. Undefined omits a claim. */
  claims?: JWTPayload;
}

/** Signs a client assertion (RFC 7523 section 3). */
export async function signAssertion(client: TargetClient, options: AssertionOptions): Promise<string> {
  if (client.authentication.method !== 'private_key_jwt') throw new TypeError('The client has no private key.');
  const { key } = client.authentication;
  const { audience, now, jti, claims } = options;
  const alg = key.alg ?? (key.kty === 'EC' ? 'ES256' : 'RS256');
  const payload = { iss: client.id, sub: client.id, aud: audience, iat: now, exp: now + 60, jti, ...claims };
  return new SignJWT(payload)
    .setProtectedHeader({ alg, ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .sign(await importJWK(key, alg));
}

export function createAssertionCredentials(client: TargetClient, assertion: string): Credentials {
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { fields: { client_id: client.id, client_assertion_type, client_assertion: assertion }, headers: {} };
}
