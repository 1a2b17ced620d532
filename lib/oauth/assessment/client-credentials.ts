import { importJWK, type JWTPayload, SignJWT } from 'jose';
import type { TargetClient } from '@/lib/oauth/assessment/target';

/** What a client adds to a request to authenticate: form fields (null removes one) and headers. */
export interface Credentials {
  fields: Record<string, string | null>;
  headers: Record<string, string>;
}

/** HTTP Basic with both parts form-encoded (RFC 6749 section 2.3.1). */
export function basicHeader(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

/** A client without its authentication: what must not suffice for a confidential one. */
export const identified = (client: TargetClient): Credentials => ({ fields: { client_id: client.id }, headers: {} });

/** The credentials of a client, by its method. */
export async function credentialsOf(client: TargetClient, assertion: AssertionOptions): Promise<Credentials> {
  const { authentication, id } = client;
  switch (authentication.method) {
    case 'none':
      return identified(client);
    case 'basic':
      return { fields: {}, headers: { authorization: basicHeader(id, authentication.secret) } };
    case 'post':
      return { fields: { client_id: id, client_secret: authentication.secret }, headers: {} };
    case 'private_key_jwt':
      return asAssertion(client, await signAssertion(client, assertion));
  }
}

/** The same with a secret that is wrong, in the client's own way. */
export async function wrongCredentialsOf(client: TargetClient, assertion: AssertionOptions): Promise<Credentials> {
  const { authentication } = client;
  if (authentication.method === 'basic' || authentication.method === 'post') {
    return credentialsOf({ ...client, authentication: { ...authentication, secret: 'not-the-secret' } }, assertion);
  }
  const [header, claims] = (await signAssertion(client, assertion)).split('.');
  return asAssertion(client, `${header}.${claims}.${'A'.repeat(86)}`);
}

/** What an assertion is made of. */
export interface AssertionOptions {
  audience: string;
  /** Seconds since the epoch. */
  now: number;
  jti: string;
  /** Other claims than the right ones; undefined leaves one out. */
  claims?: JWTPayload;
}

/** A client assertion (RFC 7523 section 3). */
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

export function asAssertion(client: TargetClient, assertion: string): Credentials {
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { fields: { client_id: client.id, client_assertion_type, client_assertion: assertion }, headers: {} };
}
