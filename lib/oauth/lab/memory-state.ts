import type { RefusingControl } from '@/lib/oauth/lab/controls';
import {
  type KeyUse,
  type LabState,
  type StoredKey,
  TICKETS_PER_KIND,
  type Ticket,
  type TicketKind,
} from '@/lib/oauth/lab/services';

/** Keys of all states in memory. They are shared, because making an RSA key takes a tenth of a second and more. */
const keys = new Map<KeyUse, Promise<StoredKey>>();

/** Keeps the lab's state in memory, for tests and for the sandboxes of assessments and replays. */
export function createMemoryState(): LabState {
  const createTicketMap = () => new Map<string, Ticket>();
  const tickets = {
    code: createTicketMap(),
    refresh: createTicketMap(),
    consent: createTicketMap(),
    logout: createTicketMap(),
    par: createTicketMap(),
    dpop: createTicketMap(),
    assertion: createTicketMap(),
    device: createTicketMap(),
    'user-code': createTicketMap(),
    'device-consent': createTicketMap(),
  };
  const revocations = new Map<string, { controls: Set<RefusingControl>; until: number }>();

  return {
    async put(ticket) {
      const stored = tickets[ticket.kind];
      if (stored.has(ticket.hash)) return false;
      for (const oldest of stored.keys()) {
        if (stored.size < TICKETS_PER_KIND) break;
        stored.delete(oldest);
      }
      stored.set(ticket.hash, { ...ticket, usedAt: null, mark: null });
      return true;
    },
    async read(kind, hash) {
      const ticket = tickets[kind].get(hash);
      return ticket === undefined ? null : { ...ticket };
    },
    async claim(kind, hash, usedAt, mark) {
      const ticket = tickets[kind].get(hash);
      if (ticket === undefined || ticket.usedAt !== null) return false;
      Object.assign(ticket, { usedAt, mark });
      return true;
    },
    async remark(kind, hash, mark) {
      const ticket = tickets[kind].get(hash);
      if (ticket !== undefined) ticket.mark = mark;
    },
    async revoke(id, control, until) {
      const entry = revocations.get(id) ?? { controls: new Set<RefusingControl>(), until };
      entry.controls.add(control);
      entry.until = Math.max(entry.until, until);
      revocations.set(id, entry);
    },
    async revokedBy(ids) {
      return [...new Set(ids.flatMap((id) => [...(revocations.get(id)?.controls ?? [])]))];
    },
    signingKey(use, fresh) {
      const cached = keys.get(use);
      if (cached !== undefined) return cached;
      const key = fresh();
      keys.set(use, key);
      key.catch(() => keys.delete(use));
      return key;
    },
    async cleanUp(now) {
      let gone = 0;
      for (const stored of Object.values(tickets)) {
        for (const [hash, { expiresAt }] of stored) if (expiresAt <= now && stored.delete(hash)) gone++;
      }
      for (const [id, entry] of revocations) if (entry.until <= now && revocations.delete(id)) gone++;
      return gone;
    },
  };
}

/**
 * Creates a view that reads a state but keeps all changes to itself. It shows how the lab would answer, without
 * changing the lab. It serves one request and is then discarded.
 */
export function createOverlayState(base: LabState): LabState {
  const own = createMemoryState();
  const fetched = new Set<string>();

  /** Copies a ticket from the base state, once, so that it can be changed here. */
  const copyTicket = async (kind: TicketKind, hash: string): Promise<void> => {
    if (fetched.has(kind + hash)) return;
    fetched.add(kind + hash);
    const ticket = await base.read(kind, hash);
    if (ticket === null || !(await own.put(ticket)) || ticket.usedAt === null) return;
    await own.claim(kind, hash, ticket.usedAt, ticket.mark);
  };

  /** Wraps a method of the overlay, so that it first copies the ticket. */
  const wrapWithTicketCopy =
    <Rest extends unknown[], Answer>(method: (kind: TicketKind, hash: string, ...rest: Rest) => Promise<Answer>) =>
    async (kind: TicketKind, hash: string, ...rest: Rest): Promise<Answer> => {
      await copyTicket(kind, hash);
      return method(kind, hash, ...rest);
    };

  return {
    ...own,
    read: wrapWithTicketCopy(own.read),
    claim: wrapWithTicketCopy(own.claim),
    remark: wrapWithTicketCopy(own.remark),
    async put(ticket) {
      await copyTicket(ticket.kind, ticket.hash);
      return own.put(ticket);
    },
    revokedBy: async (ids) => [...new Set([...(await base.revokedBy(ids)), ...(await own.revokedBy(ids))])],
    signingKey: base.signingKey,
  };
}
