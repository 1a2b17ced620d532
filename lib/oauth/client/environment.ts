import { z } from 'zod';
import { CLIENT_AUTHENTICATIONS } from '@/lib/contract/client-authentications';

const text = (length: number) => z.string().max(length).default('');
const named = z.record(z.string().max(64), z.string().max(2_048)).default({});

/** A private key as JWK (RFC 7517). `alg` says how it signs. */
export const PrivateJwk = z.looseObject({
  kty: z.enum(['EC', 'RSA', 'OKP']),
  d: z.string(),
  alg: z.string().optional(),
  kid: z.string().optional(),
});
export type PrivateJwk = z.output<typeof PrivateJwk>;

/** A server and a client of it, under a name: what a person fills in before the first request. */
export const ClientEnvironment = z.object({
  name: text(100),
  issuer: text(2_048),
  /** By their names in metadata, where a person knows better than the metadata. */
  endpoints: named,
  client_id: text(512),
  redirect_uri: text(2_048),
  authentication: z.enum(CLIENT_AUTHENTICATIONS).default('none'),
  /** Of `basic` and `post`. */
  secret: text(1_024),
  /** The JWK of `private_key_jwt`, as text. */
  key: text(8_192),
  /** Whether secret and key may be kept in this browser. */
  keep_secret: z.boolean().default(false),
  scope: z.string().max(1_024).default('openid'),
  /** The resource indicator of RFC 8707. */
  resource: text(2_048),
  /** What `Call a resource` calls. */
  resource_url: text(2_048),
  /** Further parameters of the authorization request. */
  parameters: named,
  pkce: z.boolean().default(true),
  par: z.boolean().default(false),
  dpop: z.boolean().default(false),
});
export type ClientEnvironment = z.output<typeof ClientEnvironment>;

/** What may leave the page: everything but secret and key. */
export function withoutSecrets(environment: ClientEnvironment): ClientEnvironment {
  return { ...environment, secret: '', key: '', keep_secret: false };
}

/** The private key of `private_key_jwt`; null where the text is none. */
export function readPrivateKey(json: string): PrivateJwk | null {
  try {
    return PrivateJwk.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/** The environment in the query of a link. It never holds a secret. */
export function toShareQuery(environment: ClientEnvironment): string {
  return new URLSearchParams({ environment: JSON.stringify(withoutSecrets(environment)) }).toString();
}

/** What a link says, which anybody may have made: a secret in it is not taken. Null where it says nothing. */
export function fromShareQuery(query: string): ClientEnvironment | null {
  return readEnvironment(new URLSearchParams(query).get('environment') ?? '');
}

/** An exported environment, which anybody may have written: a secret in it is not taken. Null where it is none. */
export function readEnvironment(json: string): ClientEnvironment | null {
  try {
    const { data } = ClientEnvironment.safeParse(JSON.parse(json));
    return data === undefined ? null : withoutSecrets(data);
  } catch {
    return null;
  }
}
