import { hasServerMetadata, isResource } from '@/lib/oauth/assessment/is-resource';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';

/** Paths under which metadata is published, with the kind of its owner. */
const WELL_KNOWN = /\/\.well-known\/(?:oauth-authorization-server|openid-configuration|oauth-protected-resource)/;

/**
 * Completes a target that was named by one address. The address is an issuer, a protected resource, or the address of
 * their metadata. An MCP server without metadata has its authorization server at its origin (MCP Authorization,
 * 2025-03-26).
 */
export async function findAddress(target: AssessmentTarget): Promise<AssessmentTarget> {
  const { address, transport } = target;
  if (address === null) return target;
  const url = removeWellKnown(address);
  const setIssuer = (issuer: string) => ({ ...target, issuer, scope: target.scope || 'openid' });
  if (await isResource(url, transport))
    return { ...target, isFoundByResource: true, resource: target.resource ?? { url, scope: null } };
  const { origin, pathname } = new URL(url);
  if (pathname === '/' || (await hasServerMetadata(url, transport))) return setIssuer(url);
  return (await hasServerMetadata(origin, transport))
    ? { ...setIssuer(origin), resource: target.resource ?? { url, scope: null } }
    : setIssuer(url);
}

/** Returns the identifier that an address of metadata belongs to. Other addresses stay the same. */
function removeWellKnown(address: string): string {
  const url = new URL(address);
  if (!WELL_KNOWN.test(url.pathname)) return address;
  return (url.origin + url.pathname.replace(WELL_KNOWN, '') + url.search).replace(/\/$/, '');
}
