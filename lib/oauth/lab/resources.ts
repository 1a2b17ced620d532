import { RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import type { Parameters } from '@/lib/oauth/lab/parameters';
import type { Violation } from '@/lib/oauth/lab/violation';

const LIMIT = 5;

/**
 * The `resource` parameters (RFC 8707 section 2): absolute URIs without a fragment, or the lab's own audience. The lab
 * issues tokens for any resource that is named, so that a token for another service can be tried at `/api/data`.
 * @param granted what the authorization was given for, at the token endpoint: nothing else may be named, and it is the default
 */
export function readResources(
  parameters: Parameters,
  violations: Violation[],
  granted: readonly string[] = [],
): readonly string[] {
  const refuse = (description: string) => violations.push({ control: null, error: 'invalid_target', description });
  const resources = [...new Set(parameters.all('resource'))];
  const fits = (value: string) => value === RESOURCE_AUDIENCE || (URL.canParse(value) && !value.includes('#'));
  if (!resources.every(fits)) {
    refuse('resource must be an absolute URI without a fragment.');
  } else if (resources.length > LIMIT) {
    refuse(`At most ${LIMIT} resources can be named.`);
  }
  if (granted.length > 0 && !resources.every((resource) => granted.includes(resource))) {
    refuse('resource was not part of the authorization.');
  }
  return resources.length > 0 ? resources : granted;
}
