import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import type { Millis } from '@/lib/units';

/** What a ticket is for: each kind has its own bound. */
export type TicketKind = 'code' | 'refresh' | 'consent' | 'par' | 'dpop';

/** Something that the lab handed out and that works once: a code, a refresh token, a pushed request, ... */
export interface Ticket {
  kind: TicketKind;
  /** SHA-256 of the secret, base64url. The secret itself is kept nowhere. */
  hash: string;
  payload: string;
  createdAt: Millis;
  /** When the row may be deleted; what it stands for may have ended earlier. */
  expiresAt: Millis;
  /** When it was used first, or null. */
  usedAt: Millis | null;
  /** What the use led to: the id of the grant that came of a code. */
  mark: string | null;
}

export interface StoredKey {
  kid: string;
  /** The private JWK, as JSON. */
  jwk: string;
  createdAt: Millis;
}

/** The most tickets of one kind that are kept; the oldest make room. */
export const TICKETS_PER_KIND = 10_000;

/**
 * What the lab remembers between requests. Every method is atomic by itself, in every process on the same store: the
 * single use of a code rests on `claim` alone.
 */
export interface LabState {
  /** Keeps a new ticket, and makes room for it. */
  put(ticket: Omit<Ticket, 'usedAt' | 'mark'>): Promise<void>;
  /** Reads a ticket whether or not it was used; null when there is none. */
  read(kind: TicketKind, hash: string): Promise<Ticket | null>;
  /** Marks an unused ticket as used. Exactly one of any number of simultaneous callers gets true. */
  claim(kind: TicketKind, hash: string, usedAt: Millis, mark: string | null): Promise<boolean>;
  /** Replaces the mark of a used ticket. */
  remark(kind: TicketKind, hash: string, mark: string): Promise<void>;
  /** Keeps a ticket only if there is none of its kind and hash; false when there was one. */
  putOnce(ticket: Omit<Ticket, 'usedAt' | 'mark'>): Promise<boolean>;
  /** Records that something is revoked, in the name of a control, until it would have expired anyway. */
  revoke(id: string, control: ControlSwitch, until: Millis): Promise<void>;
  /** The controls in whose name any of these is revoked. */
  revokedBy(ids: readonly string[]): Promise<ControlSwitch[]>;
  /** The signing key: the stored one, else the given one, which is stored. All callers get the same. */
  signingKey(fresh: () => Promise<StoredKey>): Promise<StoredKey>;
  /** Deletes what has expired; answers how many rows went. */
  cleanUp(now: Millis): Promise<number>;
}
