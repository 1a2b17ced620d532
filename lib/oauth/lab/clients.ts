import type { JWK } from 'jose';
import { DEMO_KEY } from '@/lib/contract/lab-demo-key';

/** How a client of the lab authenticates (RFC 6749 section 2.3, RFC 7523); a public one does not. */
type LabClientAuthentication =
  | { method: 'none' }
  | { method: 'secret'; secret: string }
  | { method: 'private_key_jwt'; publicKey: JWK };

export interface LabClient {
  id: string;
  authentication: LabClientAuthentication;
  redirectUris: readonly string[];
  scopes: readonly string[];
}

/** The scopes that the lab knows. `profile` opens `/api/data`, `offline_access` gives a refresh token. */
export const LAB_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;

/** What a request without a scope gets (RFC 6749 section 3.3). */
export const DEFAULT_SCOPE = 'profile';

/** The one user of the lab. There is no password: to agree is to authenticate. */
export const DEMO_USER = { sub: 'demo@example.com', email: 'demo@example.com', name: 'Demo User' } as const;

/** Whether a host is the caller's own machine (RFC 8252 section 7.3, and the name `localhost`). */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

const { d: _, ...publicKey } = DEMO_KEY;

/**
 * The built-in clients. Their redirect URIs depend on where the lab is: its own callback page is one of them, and where
 * the lab runs on this machine so does the same page at the loopback address (whose port is free, RFC 8252 7.3).
 */
export function labClients(origin: string): readonly LabClient[] {
  const own = `${origin}/oauth/callback`;
  const loopback = isLoopbackHost(new URL(origin).hostname) ? ['http://127.0.0.1/oauth/callback'] : [];
  const redirectUris = ['https://app.example.com/callback', own, ...loopback];
  const client = (id: string, authentication: LabClientAuthentication, uris: readonly string[] = redirectUris) => ({
    id,
    authentication,
    redirectUris: uris,
    scopes: LAB_SCOPES,
  });
  return [
    client('demo-client', { method: 'none' }),
    client('demo-confidential', { method: 'secret', secret: 'demo-secret' }),
    client('demo-native', { method: 'none' }, ['http://127.0.0.1/callback', 'http://[::1]/callback']),
    client('demo-key', { method: 'private_key_jwt', publicKey }),
  ];
}

/** Whether a client cannot keep a secret (RFC 6749 section 2.1), as one that is not registered. */
export const isPublic = (client: LabClient | null): boolean => (client?.authentication.method ?? 'none') === 'none';

export function findClient(origin: string, id: string | undefined): LabClient | null {
  return labClients(origin).find((client) => client.id === id) ?? null;
}
