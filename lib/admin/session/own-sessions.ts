import { and, desc, eq, gt } from 'drizzle-orm';
import { sessions } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { describeDevice } from '@/lib/auth/device-name';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { endOwnSession as contractOfEnd, listOwnSessions as contractOfList } from '@/lib/contract/session';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

/** Builds the condition for the caller's sessions. Null for a token. */
function matchOwnSessions({ actor, now }: Context) {
  const [kind, id = ''] = actor.id.split(':');
  return kind === 'member' ? and(eq(sessions.memberId, id), gt(sessions.expiresAt, now)) : null;
}

/** Lists the caller's sessions, the newest first. */
export const listOwnSessions = implement(contractOfList, async (context) => {
  const own = matchOwnSessions(context);
  if (own === null) return [];
  const current = await context.facts.session();
  const { drizzle } = context.services.database;
  const rows = await drizzle.select().from(sessions).where(own).orderBy(desc(sessions.createdAt));
  return rows.map(({ id, userAgent, address, method, createdAt, lastSeenAt, expiresAt }) => ({
    id,
    current: id === current?.sessionId,
    device: describeDevice(userAgent),
    address,
    method,
    created_at: formatTimestamp(createdAt),
    last_seen_at: formatTimestamp(lastSeenAt ?? createdAt),
    expires_at: formatTimestamp(expiresAt),
  }));
});

/** Ends one of the caller's sessions, which may be the current one. */
export const endOwnSession = implement(contractOfEnd, async (context, { params }) => {
  const { database } = context.services;
  const own = matchOwnSessions(context);
  if (own === null) throw new ApiError('not_found', 'There is no such session.');
  return change(context, async () => {
    const selected = and(own, eq(sessions.id, params.id));
    const [row] = await database.drizzle.select().from(sessions).where(selected);
    if (row === undefined) throw new ApiError('not_found', 'There is no such session.');
    const { memberId, userAgent, address, createdAt } = row;
    return {
      audit: {
        action: 'member.end_session',
        target: memberId,
        before: { device: describeDevice(userAgent), address, created_at: formatTimestamp(createdAt) },
      },
      statements: [database.drizzle.delete(sessions).where(selected)],
    };
  });
});
