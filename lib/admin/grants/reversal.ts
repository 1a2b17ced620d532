import { eq } from 'drizzle-orm';
import { grants } from '@/drizzle/schema';
import { endedAt, membersOf } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';

/** Takes back a grant, or its removal. */
export const GRANT_REVERSAL: Reversal = {
  role: 'operator',
  obstacle: ({ before }, now) => {
    const ended = endedAt(before, 'until', now);
    return ended === null ? null : `The grant ended at ${ended}.`;
  },
  async plan({ services, now }, { before, after }, revision) {
    const { drizzle } = services.database;
    const id = String(membersOf(before ?? after).id);
    const [row] = await drizzle.select().from(grants).where(eq(grants.id, id));
    if (row === undefined) return refuse('There is no such grant any more.');
    refuseUnless((row.removedAt === null) === (after !== null));
    const edited = drizzle.update(grants).set({ removedAt: before === null ? now : null, revision });
    return {
      statements: [edited.where(eq(grants.id, id))],
      restored: before === null ? 'The grant has ended.' : 'The grant is active again.',
    };
  },
};
