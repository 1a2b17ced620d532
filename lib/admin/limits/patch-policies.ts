import { change } from '@/lib/admin/change';
import { effectivePolicies, storedPatch } from '@/lib/admin/limits/stored-policies';
import { writeSetting } from '@/lib/admin/setting';
import { mergePatch, PoliciesPatch, PoliciesSchema } from '@/lib/contract/policies';
import { POLICIES_SETTING } from '@/lib/enforcement/rules-cache';
import { documentTag, requireMatch } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** Changes limits, from the next decision on. */
export const patchPolicies = operation({
  id: 'patchPolicies',
  method: 'PATCH',
  path: '/v1/admin/policies',
  tag: 'Policies',
  summary: 'Change the policies',
  description:
    'A JSON merge patch (RFC 7396): what is absent stays. Nothing can be removed, so null is refused. Usages stay what they are; a window of another length starts counting anew.',
  access: 'owner',
  body: { schema: PoliciesPatch, required: true, mediaTypes: ['application/merge-patch+json'] },
  response: {
    status: 200,
    description: 'The policies in force.',
    schema: PoliciesSchema,
    headers: { ETag: 'For `If-Match` of the next change.' },
  },
  errors: ['conflict'],
  conditional: true,
  run: (context, { body }) => {
    const { services } = context;
    return change(context, async (revision) => {
      const stored = await storedPatch(services);
      const before = effectivePolicies(services, stored);
      requireMatch(context.request, documentTag(before));
      const patch = mergePatch(stored, body);
      const after = effectivePolicies(services, patch);
      return {
        audit: { action: 'policies.update', targetType: 'policies', target: POLICIES_SETTING, before, after },
        statements: [writeSetting(services.database, POLICIES_SETTING, patch, context.now, revision)],
        result: new Reply(after, { headers: { ETag: documentTag(after) } }),
      };
    });
  },
});
