import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildDocumentReversal } from '@/lib/admin/change-kind/document-reversal';
import { listLimitsInForce } from '@/lib/admin/effect/met-limits';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { describeRouteRulesEffect } from '@/lib/admin/route-rules/route-rules-sentence';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';

export const ROUTE_RULE_CHANGES: ChangeKinds<'route_rules'> = {
  'route_rules.replace': {
    thing: 'route rules',
    reversal: buildDocumentReversal(ROUTE_RULES_SETTING, 'The route rules were restored.'),
    async effect(context, { before, after }) {
      const rules = await context.services.rules.readFresh();
      const limits = listLimitsInForce(rules, context.now);
      const warning = describeCosts(rules, context.now, limits, { routeRules: compileRouteRules(after).rules });
      return joinSentences(await describeRouteRulesEffect(context, before, after), warning);
    },
  },
};
