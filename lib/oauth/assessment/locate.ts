import type { Probe } from '@/lib/oauth/assessment/probe';
import { describeResource, isMetadataFor } from '@/lib/oauth/assessment/protected-resource';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/**
 * Completes a target from its own metadata. For a protected resource, that adds the authorization server, the resource
 * for token requests, and the required scope (RFC 9728, RFC 8707). An issuer that differs from the published one only
 * in a final slash is corrected. If nothing is found, the target stays the same, and the set-up check reports why.
 */
export async function locate(probe: Probe): Promise<AssessmentTarget> {
  const { target } = probe;
  try {
    return target.isFoundByResource ? await locateByResource(probe) : await locateByIssuer(probe);
  } catch (error) {
    if (error instanceof CannotProbe) return target;
    throw error;
  }
}

async function locateByIssuer(probe: Probe): Promise<AssessmentTarget> {
  const { issuer } = await probe.fetchServerMetadata();
  const { target } = probe;
  return typeof issuer === 'string' && removeTrailingSlash(issuer) === removeTrailingSlash(target.issuer)
    ? { ...target, issuer }
    : target;
}

const removeTrailingSlash = (issuer: string): string => issuer.replace(/\/$/, '');

async function locateByResource(probe: Probe): Promise<AssessmentTarget> {
  const { target } = probe;
  const { url, scope, metadata, servers } = await describeResource(probe);
  const issuer = servers.find((server) => URL.canParse(server)) ?? '';
  const resource = isMetadataFor(metadata?.resource, url) ? metadata.resource : url;
  const supported = metadata?.scopes_supported;
  const offered = Array.isArray(supported) ? supported.filter((value) => typeof value === 'string').join(' ') : '';
  const needed = scope !== null && !scope.includes(' ') ? scope : null;
  return {
    ...target,
    issuer,
    scope: target.scope || (scope ?? offered),
    resource: { url, scope: target.resource?.scope ?? needed },
    parameters: { resource, ...target.parameters },
  };
}
