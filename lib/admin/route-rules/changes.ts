import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildDocumentReversal } from '@/lib/admin/change-kind/document-reversal';
import { describeCostsInForce } from '@/lib/admin/effect/costs-in-force';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeRouteRulesEffect } from '@/lib/admin/route-rules/route-rules-sentence';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';

export const ROUTE_RULE_CHANGES: ChangeKinds<'route_rules'> = {
  'route_rules.replace': {
    thing: 'route rules',
    reversal: buildDocumentReversal(ROUTE_RULES_SETTING, 'The route rules were restored.'),
    async effect(context, { before, after }) {
      const rules = await context.services.rules.readFresh();
      const warning = describeCostsInForce(rules, context.now, { routeRules: compileRouteRules(after).rules });
      return joinSentences(await describeRouteRulesEffect(context, before, after), warning);
    },
  },
};
