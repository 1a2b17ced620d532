import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import { type LabState, type StoredKey, TICKETS_PER_KIND, type Ticket, type TicketKind } from '@/lib/oauth/lab/state';

/** The lab's state in this process's memory: for tests, and for the sandboxes in which assessments and replays run. */
export function memoryState(): LabState {
  const tickets = new Map<TicketKind, Map<string, Ticket>>();
  const revocations = new Map<string, { controls: Set<ControlSwitch>; until: number }>();
  let key: Promise<StoredKey> | null = null;

  const ofKind = (kind: TicketKind): Map<string, Ticket> => {
    const found = tickets.get(kind) ?? new Map<string, Ticket>();
    tickets.set(kind, found);
    return found;
  };

  const keep = (ticket: Omit<Ticket, 'usedAt' | 'mark'>): void => {
    const room = ofKind(ticket.kind);
    for (const oldest of room.keys()) {
      if (room.size < TICKETS_PER_KIND) break;
      room.delete(oldest);
    }
    room.set(ticket.hash, { ...ticket, usedAt: null, mark: null });
  };

  return {
    async put(ticket) {
      keep(ticket);
    },
    async read(kind, hash) {
      const ticket = ofKind(kind).get(hash);
      return ticket === undefined ? null : { ...ticket };
    },
    async claim(kind, hash, usedAt, mark) {
      const ticket = ofKind(kind).get(hash);
      if (ticket === undefined || ticket.usedAt !== null) return false;
      ticket.usedAt = usedAt;
      ticket.mark = mark;
      return true;
    },
    async remark(kind, hash, mark) {
      const ticket = ofKind(kind).get(hash);
      if (ticket !== undefined) ticket.mark = mark;
    },
    async putOnce(ticket) {
      if (ofKind(ticket.kind).has(ticket.hash)) return false;
      keep(ticket);
      return true;
    },
    async revoke(id, control, until) {
      const entry = revocations.get(id) ?? { controls: new Set<ControlSwitch>(), until };
      entry.controls.add(control);
      entry.until = Math.max(entry.until, until);
      revocations.set(id, entry);
    },
    async revokedBy(ids) {
      return [...new Set(ids.flatMap((id) => [...(revocations.get(id)?.controls ?? [])]))];
    },
    signingKey(fresh) {
      key ??= fresh();
      return key;
    },
    async cleanUp(now) {
      let gone = 0;
      for (const room of tickets.values()) {
        for (const [hash, ticket] of room) if (ticket.expiresAt <= now && room.delete(hash)) gone++;
      }
      for (const [id, entry] of revocations) if (entry.until <= now && revocations.delete(id)) gone++;
      return gone;
    },
  };
}
