import { effectivePolicies, storedPatch } from '@/lib/admin/limits/stored-policies';
import { PoliciesSchema } from '@/lib/contract/policies';
import { documentTag } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** The limits in force. */
export const getPolicies = operation({
  id: 'getPolicies',
  method: 'GET',
  path: '/v1/admin/policies',
  tag: 'Policies',
  summary: 'Read the policies',
  access: 'viewer',
  response: {
    status: 200,
    description: 'The policies in force.',
    schema: PoliciesSchema,
    headers: { ETag: 'For `If-Match` of a change.' },
  },
  run: async ({ services }) => {
    const policies = effectivePolicies(services, await storedPatch(services));
    return new Reply(policies, { headers: { ETag: documentTag(policies) } });
  },
});
