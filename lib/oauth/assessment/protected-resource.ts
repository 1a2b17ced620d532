import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { MCP_INITIALIZE, WANTS_POST } from '@/lib/oauth/assessment/mcp';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, requireValue } from '@/lib/oauth/assessment/verdict';

/** A protected resource's description of itself, as sent without a token (RFC 9728). */
export interface ResourceDescription {
  url: string;
  /** Status of the answer without a token. */
  status: number;
  /** Scope in the challenge (RFC 6750 section 3). */
  scope: string | null;
  /** Metadata address in the challenge (RFC 9728 section 5.1). */
  named: string | null;
  /** Null if there is none, or it is not JSON with a `resource`. */
  metadata: Record<string, unknown> | null;
  /** Issuers of the authorization servers that the metadata names. */
  servers: readonly string[];
}

/** Requests the resource without a token, and reads its metadata, once for each assessment. @throws CannotProbe */
export function describeResource(probe: Probe): Promise<ResourceDescription> {
  return probe.runOnce('protected resource', async () => {
    const { url } = requireValue(probe.target.resource, 'No protected resource is known.', 'not_applicable');
    const bare = await askWithoutToken(probe, url);
    const wall = await probe.explainResourceWall(bare);
    if (wall !== null) throw new CannotProbe('inconclusive', `The resource does not answer: ${wall}.`);
    const challenge = findResponseHeader(bare, 'www-authenticate') ?? '';
    const named = findChallengeParameter(challenge, 'resource_metadata');
    const metadata = await readMetadata(probe, named === null ? listWellKnownAddresses(url) : [named]);
    const { authorization_servers: servers } = metadata ?? {};
    return {
      url,
      status: bare.response.status,
      scope: findChallengeParameter(challenge, 'scope'),
      named,
      metadata,
      servers: Array.isArray(servers) ? servers.map(String) : [],
    };
  });
}

async function askWithoutToken(probe: Probe, url: string): Promise<Exchange> {
  const got = await probe.send('The resource without a token', url);
  if (!WANTS_POST.has(got.response.status)) return got;
  return probe.send('Open an MCP session without a token', url, MCP_INITIALIZE);
}

async function readMetadata(probe: Probe, addresses: readonly string[]): Promise<Record<string, unknown> | null> {
  for (const address of addresses) {
    const document = await probe.readDocument('Read the metadata of the resource', address);
    const metadata = parseResponseJson(document);
    if (document.response.status === 200 && typeof metadata.resource === 'string') return metadata;
  }
  return null;
}

/** Returns the default metadata addresses. The path follows the well-known part (RFC 9728 section 3.1). */
function listWellKnownAddresses(url: string): string[] {
  const { origin, pathname, search } = new URL(url);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  return pathname === '/' && search === '' ? [root] : [`${root}${pathname === '/' ? '' : pathname}${search}`, root];
}

/** Returns a parameter of a challenge, quoted or not (RFC 9110 section 11.2). */
function findChallengeParameter(challenge: string, name: string): string | null {
  const [, quoted, bare] =
    new RegExp(`[\\s,]${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,]+))`, 'i').exec(challenge) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? bare ?? null;
}

/** Returns whether metadata describes an address: the resource itself, or a parent of it (RFC 9728 section 3.3). */
export function isMetadataFor(resource: unknown, url: string): resource is string {
  if (typeof resource !== 'string' || !URL.canParse(resource)) return false;
  const [about, address] = [new URL(resource), new URL(url)];
  const folder = about.pathname.endsWith('/') ? about.pathname : `${about.pathname}/`;
  return about.origin === address.origin && `${address.pathname}/`.startsWith(folder);
}
