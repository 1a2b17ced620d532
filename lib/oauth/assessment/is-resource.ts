import { listMetadataAddresses } from '@/lib/oauth/assessment/server-metadata';
import type { Transport } from '@/lib/oauth/assessment/target';

/**
 * Detects whether an address is a protected resource, such as an MCP server, and not an issuer. A resource publishes no
 * authorization server metadata, but its own (RFC 9728) or a challenge that names it. Returns false in doubt.
 */
export async function isResource(address: string, transport: Transport): Promise<boolean> {
  const ask = (url: string, init?: RequestInit) => transport(new Request(url, init)).catch(() => null);
  if (await hasServerMetadata(address, transport)) return false;
  const { origin, pathname } = new URL(address);
  const published = `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
  if (await hasJsonMember(await ask(published), 'resource')) return true;
  const isChallenge = (response: Response | null) =>
    /\bresource_metadata\s*=/i.test(response?.headers.get('www-authenticate') ?? '');
  return isChallenge(await ask(address)) || isChallenge(await ask(address, { method: 'POST', body: '{}' }));
}

/** Returns whether an address publishes metadata of an authorization server. */
export async function hasServerMetadata(address: string, transport: Transport): Promise<boolean> {
  for (const url of listMetadataAddresses(address)) {
    const response = await transport(new Request(url)).catch(() => null);
    if (await hasJsonMember(response, 'issuer')) return true;
  }
  return false;
}

/** True if the answer is metadata: JSON with this member. */
async function hasJsonMember(response: Response | null, member: string): Promise<boolean> {
  if (response?.status !== 200) return false;
  const document: unknown = await response.json().catch(() => null);
  return typeof document === 'object' && document !== null && member in document;
}
