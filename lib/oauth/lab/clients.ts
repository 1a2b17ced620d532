import type { JWK } from 'jose';
import { DEMO_KEY } from '@/lib/contract/lab-demo-key';
import type { KeyUse } from '@/lib/oauth/lab/services';

/** Authentication of a client of the lab (RFC 6749 section 2.3, RFC 7523, RFC 8705). A public client has none. */
type LabClientAuthentication =
  | { method: 'none' }
  | { method: 'secret'; secret: string }
  | { method: 'private_key_jwt'; publicKey: JWK }
  | { method: 'tls_client_auth'; subject: string };

export interface LabClient {
  id: string;
  authentication: LabClientAuthentication;
  redirectUris: readonly string[];
  /** Addresses for the browser after a logout (OpenID Connect RP-Initiated Logout section 3.1). */
  postLogoutRedirectUris: readonly string[];
  scopes: readonly string[];
  /** Key of its ID tokens (`id_token_signed_response_alg`, OpenID Connect Dynamic Client Registration section 2). */
  idTokenKey: KeyUse;
}

/** Scopes of the lab. `profile` opens `/api/data`, `offline_access` gives a refresh token. */
export const LAB_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;

/** Scope of a request that names none (RFC 6749 section 3.3). */
export const DEFAULT_SCOPE = 'profile';

/** The only user of the lab. There is no password, so consent counts as authentication. */
export const DEMO_USER = { sub: 'demo@example.com', email: 'demo@example.com', name: 'Demo User' } as const;

/** Returns whether a host is the caller's own machine (RFC 8252 section 7.3, and the name `localhost`). */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

const { d: _, ...publicKey } = DEMO_KEY;

/**
 * Lists the built-in clients. Their redirect URIs depend on the lab's origin and include its own callback page. If the
 * lab runs on this machine, they also include that page at the loopback address with any port (RFC 8252 7.3).
 */
export function listLabClients(origin: string): readonly LabClient[] {
  const own = `${origin}/oauth/callback`;
  const loopback = isLoopbackHost(new URL(origin).hostname) ? ['http://127.0.0.1/oauth/callback'] : [];
  const redirectUris = ['https://app.example.com/callback', own, ...loopback];
  const buildClient = (
    id: string,
    authentication: LabClientAuthentication,
    uris: readonly string[] = redirectUris,
  ): LabClient => ({
    id,
    authentication,
    redirectUris: uris,
    postLogoutRedirectUris: uris === redirectUris ? ['https://app.example.com/signed-out', own] : [],
    scopes: LAB_SCOPES,
    idTokenKey: hasKey({ authentication }) ? 'signing' : 'id-token',
  });
  return [
    buildClient('demo-client', { method: 'none' }),
    buildClient('demo-confidential', { method: 'secret', secret: 'demo-secret' }),
    buildClient('demo-native', { method: 'none' }, ['http://127.0.0.1/callback', 'http://[::1]/callback']),
    buildClient('demo-key', { method: 'private_key_jwt', publicKey }),
    buildClient('demo-other-key', { method: 'private_key_jwt', publicKey }),
    buildClient('demo-certificate', { method: 'tls_client_auth', subject: 'CN=demo-certificate' }),
  ];
}

/** Returns whether a client authenticates with a key or a certificate (FAPI 2.0 Security Profile section 5.3.2.1). */
export const hasKey = ({ authentication: { method } }: Pick<LabClient, 'authentication'>): boolean =>
  method === 'private_key_jwt' || method === 'tls_client_auth';

/** Returns whether a client cannot keep a secret (RFC 6749 section 2.1). Unregistered clients count as public. */
export const isPublic = (client: LabClient | null): boolean => (client?.authentication.method ?? 'none') === 'none';

export function findClient(origin: string, id: string | undefined): LabClient | null {
  return listLabClients(origin).find((client) => client.id === id) ?? null;
}
