import { z } from 'zod';
import { CALLBACK_PATH } from '@/lib/contract/callback';
import { CLIENT_AUTHENTICATIONS } from '@/lib/contract/client-authentications';
import { parseJson } from '@/lib/json';

const text = (length: number) => z.string().max(length).default('');
const named = z.record(z.string().max(64), z.string().max(2_048)).default({});

/** A private key as JWK (RFC 7517). `alg` is its signature algorithm. */
export const PrivateJwk = z.looseObject({
  kty: z.enum(['EC', 'RSA', 'OKP']),
  d: z.string(),
  alg: z.string().optional(),
  kid: z.string().optional(),
});
export type PrivateJwk = z.output<typeof PrivateJwk>;

/** A named server and client registration. It must be complete before the first request. */
export const ClientEnvironment = z.object({
  name: text(100),
  issuer: text(2_048),
  /** Endpoints entered by hand, by their names in metadata. They override the metadata. */
  endpoints: named,
  client_id: text(512),
  redirect_uri: text(2_048),
  authentication: z.enum(CLIENT_AUTHENTICATIONS).default('none'),
  /** Client secret of `basic` and `post`. */
  secret: text(1_024),
  /** JWK of `private_key_jwt`, as text. */
  key: text(8_192),
  /** True if this browser may store the secret and the key. */
  keep_secret: z.boolean().default(false),
  scope: z.string().max(1_024).default('openid'),
  /** Resource indicator (RFC 8707). */
  resource: text(2_048),
  /** URL that `Call a resource` requests. */
  resource_url: text(2_048),
  /** Further parameters of the authorization request. */
  parameters: named,
  pkce: z.boolean().default(true),
  par: z.boolean().default(false),
  dpop: z.boolean().default(false),
});
export type ClientEnvironment = z.output<typeof ClientEnvironment>;

/** Returns the environments of the lab at `origin`, one per client. */
export function buildLabEnvironments(origin: string): readonly [ClientEnvironment, ClientEnvironment] {
  const lab = {
    issuer: origin,
    redirect_uri: `${origin}${CALLBACK_PATH}`,
    scope: 'openid profile offline_access',
    resource_url: `${origin}/api/data`,
  };
  const secret = { client_id: 'demo-confidential', authentication: 'basic', secret: 'demo-secret' };
  return [
    ClientEnvironment.parse({ ...lab, name: 'Lab', client_id: 'demo-client' }),
    ClientEnvironment.parse({ ...lab, ...secret, name: 'Lab, confidential client' }),
  ];
}

/** Returns an empty environment. Its authorization codes come back to `origin`. */
export const buildEmptyEnvironment = (origin: string) =>
  ClientEnvironment.parse({ redirect_uri: `${origin}${CALLBACK_PATH}` });

/** Returns the environment without secret and key. The result may leave the page. */
export function removeSecrets(environment: ClientEnvironment): ClientEnvironment {
  return { ...environment, secret: '', key: '', keep_secret: false };
}

/** Reads the private key of `private_key_jwt`. Returns null if the text is not a private key. */
export function readPrivateKey(json: string): PrivateJwk | null {
  return PrivateJwk.safeParse(parseJson(json)).data ?? null;
}

/** Writes the environment as the query of a link. It never contains a secret. */
export function formatShareQuery(environment: ClientEnvironment): string {
  return new URLSearchParams({ environment: JSON.stringify(removeSecrets(environment)) }).toString();
}

/**
 * Reads an environment from a link. Links are untrusted, so secrets are ignored. Returns null if there is no
 * environment.
 */
export function parseShareQuery(query: string): ClientEnvironment | null {
  return readEnvironment(new URLSearchParams(query).get('environment') ?? '');
}

/**
 * Reads an exported environment. The text is untrusted, so secrets are ignored. Returns null if it is not an
 * environment.
 */
export function readEnvironment(json: string): ClientEnvironment | null {
  const { data } = ClientEnvironment.safeParse(parseJson(json));
  return data === undefined ? null : removeSecrets(data);
}
