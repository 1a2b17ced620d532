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

  return {
    put: (ticket) => own.put(ticket),
    async read(kind, hash) {
      await bring(kind, hash);
      return own.read(kind, hash);
    },
    async claim(kind, hash, usedAt, mark) {
      await bring(kind, hash);
      return own.claim(kind, hash, usedAt, mark);
    },
    async remark(kind, hash, mark) {
      await bring(kind, hash);
      await own.remark(kind, hash, mark);
    },
    async putOnce(ticket) {
      await bring(ticket.kind, ticket.hash);
      return own.putOnce(ticket);
    },
    revoke: (id, control, until) => own.revoke(id, control, until),
    async revokedBy(ids) {
      return [...new Set([...(await base.revokedBy(ids)), ...(await own.revokedBy(ids))])];
    },
    signingKey: (fresh) => base.signingKey(fresh),
    cleanUp: (now) => own.cleanUp(now),
  };
}
