import type { ControlSwitch, Controls } from '@/lib/oauth/lab/controls';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { Millis } from '@/lib/units';

/** What the lab needs of the world. Everything else that decides an answer is in the request and the controls. */
export interface LabServices {
  /** The origin under which the caller reaches the lab, without a trailing slash: it is the issuer. */
  origin: string;
  state: LabState;
  now(): Millis;
  random(length: number): Uint8Array;
}

/** The lab as one request finds it. */
export interface Lab extends LabServices {
  controls: Controls;
}

/** One endpoint of the lab: a pure function of request and lab. It notes what is wrong with the request, waived or not. */
export type LabHandler = (request: Request, lab: Lab, violations: Violations) => Promise<Response>;

/** Something that the lab handed out and that works once: a code, a refresh token, a pushed request, ... */
interface NewTicket {
  /** Each kind has its own bound. */
  kind: 'code' | 'refresh' | 'consent' | 'par' | 'dpop' | 'assertion';
  /** SHA-256 of the secret, base64url. The secret itself is kept nowhere. */
  hash: string;
  payload: string;
  createdAt: Millis;
  /** When the row may be deleted; what it stands for may have ended earlier. */
  expiresAt: Millis;
}
export type TicketKind = NewTicket['kind'];

export interface Ticket extends NewTicket {
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
  /** Keeps a ticket, and makes room for it, unless there is one of its kind and hash; then it answers false. */
  put(ticket: NewTicket): Promise<boolean>;
  /** Reads a ticket whether or not it was used; null when there is none. */
  read(kind: TicketKind, hash: string): Promise<Ticket | null>;
  /** Marks an unused ticket as used. Exactly one of any number of simultaneous callers gets true. */
  claim(kind: TicketKind, hash: string, usedAt: Millis, mark: string | null): Promise<boolean>;
  /** Replaces the mark of a used ticket. */
  remark(kind: TicketKind, hash: string, mark: string): Promise<void>;
  /** Records that something is revoked, in the name of a control, until it would have expired anyway. */
  revoke(id: string, control: ControlSwitch, until: Millis): Promise<void>;
  /** The controls in whose name any of these is revoked. */
  revokedBy(ids: readonly string[]): Promise<ControlSwitch[]>;
  /** The signing key: the stored one, else the given one, which is stored. All callers get the same. */
  signingKey(fresh: () => Promise<StoredKey>): Promise<StoredKey>;
  /** Deletes what has expired; answers how many rows went. */
  cleanUp(now: Millis): Promise<number>;
}
