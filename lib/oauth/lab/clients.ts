export interface LabClient {
  id: string;
  /** Null for a public client. */
  secret: string | null;
  redirectUris: readonly string[];
  scopes: readonly string[];
}

/** The scopes that the lab knows. `profile` opens `/api/data`, `offline_access` gives a refresh token. */
export const LAB_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;

/** What a request without a scope gets (RFC 6749 section 3.3). */
export const DEFAULT_SCOPE = 'profile';

/** The one user of the lab, who is always signed in to it. */
export const DEMO_USER = { sub: 'demo@example.com', email: 'demo@example.com', name: 'Demo User' } as const;

/** Whether a host is the caller's own machine (RFC 8252 section 7.3, and the name `localhost`). */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/**
 * The built-in clients. Their redirect URIs depend on where the lab is: its own callback page is one of them, and where
 * the lab runs on this machine so does the same page at the loopback address (whose port is free, RFC 8252 7.3).
 */
export function labClients(origin: string): readonly LabClient[] {
  const own = `${origin}/oauth/callback`;
  const loopback = isLoopbackHost(new URL(origin).hostname) ? ['http://127.0.0.1/oauth/callback'] : [];
  const redirectUris = ['https://app.example.com/callback', own, ...loopback];
  const native = ['http://127.0.0.1/callback', 'http://[::1]/callback'];
  return [
    { id: 'demo-client', secret: null, redirectUris, scopes: LAB_SCOPES },
    { id: 'demo-confidential', secret: 'demo-secret', redirectUris, scopes: LAB_SCOPES },
    { id: 'demo-native', secret: null, redirectUris: native, scopes: LAB_SCOPES },
  ];
}

export function findClient(origin: string, id: string | undefined): LabClient | null {
  return labClients(origin).find((client) => client.id === id) ?? null;
}
