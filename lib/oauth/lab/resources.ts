import type { Parameters } from '@/lib/oauth/lab/parameters';
import { RESOURCE_AUDIENCE } from '@/lib/oauth/lab/services';
import type { Violation } from '@/lib/oauth/lab/violation';

const LIMIT = 5;

/**
 * The `resource` parameters (RFC 8707 section 2): absolute URIs without a fragment, or the lab's own audience. The lab
 * issues tokens for any resource that is named, so that a token for another service can be tried at `/api/data`.
 */
export function readResources(parameters: Parameters, violations: Violation[]): string[] {
  const resources = [...new Set(parameters.all('resource'))];
  const fits = (value: string) => value === RESOURCE_AUDIENCE || (URL.canParse(value) && !value.includes('#'));
  if (!resources.every(fits)) {
    const description = 'resource must be an absolute URI without a fragment.';
    violations.push({ control: null, error: 'invalid_target', description });
  } else if (resources.length > LIMIT) {
    violations.push({
      control: null,
      error: 'invalid_target',
      description: `At most ${LIMIT} resources can be named.`,
    });
  }
  return resources;
}
