import { storedRouteRules } from '@/lib/admin/limits/stored-route-rules';
import { StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { documentTag } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** The rules that say which class a route belongs to. */
export const getRouteRules = operation({
  id: 'getRouteRules',
  method: 'GET',
  path: '/v1/admin/route-rules',
  tag: 'Policies',
  summary: 'Read the route rules',
  description: 'In order: the first that matches decides. What no rule matches has the class of the defaults.',
  access: 'viewer',
  response: {
    status: 200,
    description: 'All rules.',
    schema: StoredRouteRulesSchema,
    headers: { ETag: 'For `If-Match` of a change.' },
  },
  run: async ({ services }) => {
    const rules = await storedRouteRules(services.database);
    return new Reply(rules, { headers: { ETag: documentTag(rules) } });
  },
});
