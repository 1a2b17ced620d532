import { eq } from 'drizzle-orm';
import { grants } from '@/drizzle/schema';
import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { findPastEnd, readMembers } from '@/lib/admin/change-kind/record';
import { refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { listLimitsOfKey } from '@/lib/admin/effect/met-limits';
import { joinSentences } from '@/lib/admin/effect/sentences';
import { describeCosts } from '@/lib/admin/effect/unpayable-costs';
import { describeAddedGrant, describeExhaustedQuota } from '@/lib/admin/keys/effects';
import type { QuotaGrant } from '@/lib/contract/grants';

const GRANT: ChangeKind = {
  thing: ({ before, after }) => `grant ${readMembers(before ?? after).id}`,
  reversal: {
    role: 'operator',
    obstacle: ({ before }, now) => {
      const ended = findPastEnd(before, 'until', now);
      return ended === null ? null : `The grant ended at ${ended}.`;
    },
    async plan({ services, now }, { before, after }, revision) {
      const { drizzle } = services.database;
      const id = String(readMembers(before ?? after).id);
      const [row] = await drizzle.select().from(grants).where(eq(grants.id, id));
      if (row === undefined) return refuse('The grant no longer exists.');
      refuseUnless((row.removedAt === null) === (after !== null));
      const edited = drizzle.update(grants).set({ removedAt: before === null ? now : null, revision });
      return {
        statements: [edited.where(eq(grants.id, id))],
        restored: before === null ? 'The grant has ended.' : 'The grant is active again.',
      };
    },
  },
  async effect(context, { target, before, after }) {
    if (before == null) return describeAddedGrant(context, target, (after as QuotaGrant).requests);
    const gone = (before as QuotaGrant).requests;
    const rules = await context.services.rules.readFresh();
    const key = rules.findKeyById(target, context.now);
    if (key === undefined || gone === 0 || (key.overageAllowed && key.tier !== 'free')) return null;
    const granted = rules.sumGrants(target, context.now) - gone;
    const warning = describeCosts(rules, context.now, listLimitsOfKey(rules, { ...key, granted }));
    return joinSentences(await describeExhaustedQuota(context, target, { granted: -gone }), warning);
  },
};

export const GRANT_CHANGES: ChangeKinds<'grant'> = {
  'grant.add': GRANT,
  'grant.remove': GRANT,
};
