import { change } from '@/lib/admin/change';
import { storedRouteRules } from '@/lib/admin/limits/stored-route-rules';
import { writeSetting } from '@/lib/admin/setting';
import { RouteRulesSchema, StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { documentTag, requireMatch } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** Sets all route rules at once, from the next decision on. */
export const replaceRouteRules = operation({
  id: 'replaceRouteRules',
  method: 'PUT',
  path: '/v1/admin/route-rules',
  tag: 'Policies',
  summary: 'Replace the route rules',
  access: 'owner',
  body: { schema: RouteRulesSchema, required: true },
  response: {
    status: 200,
    description: 'All rules.',
    schema: StoredRouteRulesSchema,
    headers: { ETag: 'For `If-Match` of the next change.' },
  },
  errors: ['conflict'],
  conditional: true,
  run: (context, { body: rules }) => {
    const { database } = context.services;
    return change(context, async (revision) => {
      const before = await storedRouteRules(database);
      requireMatch(context.request, documentTag(before));
      return {
        audit: {
          action: 'route_rules.replace',
          targetType: 'route_rules',
          target: ROUTE_RULES_SETTING,
          before,
          after: rules,
        },
        statements: [writeSetting(database, ROUTE_RULES_SETTING, rules, context.now, revision)],
        result: new Reply(rules, { headers: { ETag: documentTag(rules) } }),
      };
    });
  },
});
