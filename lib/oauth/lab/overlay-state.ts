import { memoryState } from '@/lib/oauth/lab/memory-state';
import type { LabState, TicketKind } from '@/lib/oauth/lab/state';

/**
 * A view of a state that reads what is there and keeps every change to itself: to see what the lab would answer without
 * doing it. For one request; it is thrown away afterwards.
 */
export function overlayState(base: LabState): LabState {
  const own = memoryState();
  const fetched = new Set<string>();

  /** Copies a ticket from below, once, so that it can be changed here. */
  const bring = async (kind: TicketKind, hash: string): Promise<void> => {
    if (fetched.has(kind + hash)) return;
    fetched.add(kind + hash);
    const ticket = await base.read(kind, hash);
    if (ticket === null || (await own.read(kind, hash)) !== null) return;
    const { usedAt, mark, ...fresh } = ticket;
    await own.put(fresh);
    if (usedAt !== null) await own.claim(kind, hash, usedAt, mark);
  };

  /** A method of the own state, for a ticket that is here by then. */
  const brought =
    <Rest extends unknown[], Answer>(method: (kind: TicketKind, hash: string, ...rest: Rest) => Promise<Answer>) =>
    async (kind: TicketKind, hash: string, ...rest: Rest): Promise<Answer> => {
      await bring(kind, hash);
      return method(kind, hash, ...rest);
    };

  return {
    ...own,
    read: brought(own.read),
    claim: brought(own.claim),
    remark: brought(own.remark),
    async putOnce(ticket) {
      await bring(ticket.kind, ticket.hash);
      return own.putOnce(ticket);
    },
    revokedBy: async (ids) => [...new Set([...(await base.revokedBy(ids)), ...(await own.revokedBy(ids))])],
    signingKey: (fresh) => base.signingKey(fresh),
  };
}
