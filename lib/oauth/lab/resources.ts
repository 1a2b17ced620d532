import { LAB_PATHS, OTHER_SERVICE, ownResources } from '@/lib/contract/lab-paths';
import { listDpopAlgorithms } from '@/lib/oauth/lab/dpop-proof';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import { answerJson, type Violations } from '@/lib/oauth/lab/respond';
import type { LabHandler } from '@/lib/oauth/lab/services';

/** Scope that `/api/data` requires. */
export const DATA_SCOPE = 'profile';

/**
 * Reads the `resource` parameters (RFC 8707 section 2). Allowed are the lab's own resource, by name or URL, and the
 * second service that it issues tokens for. If `resource-target` is off, every value is allowed.
 * @param granted resources of the authorization, at the token endpoint. They are the default, and no others may be
 * named.
 * @param names parameters that name a resource. A token exchange has `audience`, too (RFC 8693 section 2.1).
 */
export function readResources(
  parameters: Parameters,
  violations: Violations,
  origin: string,
  granted: readonly string[] | null = null,
  names: readonly string[] = ['resource'],
): readonly string[] {
  const resources = [...new Set(names.flatMap((name) => parameters.getAll(name)))];
  const own = ownResources(origin);
  const note = (description: string) => violations.note('resource-target', description, 'invalid_target');
  if (!resources.every((resource) => [...own, OTHER_SERVICE].includes(resource))) note('resource is unknown here.');
  else if (granted !== null) {
    const allowed = granted.length > 0 ? granted : own;
    if (!resources.every((resource) => allowed.includes(resource))) note('resource was not part of the authorization.');
  }
  return resources.length > 0 ? resources : (granted ?? []);
}

/** Handles `GET /.well-known/oauth-protected-resource`, with or without a trailing `/api/data` (RFC 9728 section 3). */
export const describeResource: LabHandler = async (request, lab) => {
  const { origin, controls, requirements } = lab;
  return answerJson(200, {
    resource: origin + new URL(request.url).pathname.slice(LAB_PATHS.resourceMetadata.length),
    authorization_servers: [origin],
    scopes_supported: [DATA_SCOPE],
    bearer_methods_supported: controls['no-token-in-query'] ? ['header'] : ['header', 'query'],
    dpop_signing_alg_values_supported: listDpopAlgorithms(lab),
    dpop_bound_access_tokens_required: requirements['fapi-bound-tokens'],
    resource_name: "Sluice's OAuth lab",
    resource_documentation: `${origin}/docs`,
  });
};
