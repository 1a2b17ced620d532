import type { Controls, RefusingControl, Requirements } from '@/lib/oauth/lab/controls';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { Millis } from '@/lib/units';

/** The certificate that a client presented in its TLS handshake (RFC 8705). */
export interface LabCertificate {
  /** SHA-256 of the certificate, base64url (`x5t#S256`). */
  thumbprint: string;
  /** Distinguished name of the subject (RFC 4514). */
  subject: string;
  /** True if an authority signed it that the server trusts. */
  isTrusted: boolean;
}

/** External services of the lab. An answer otherwise depends only on the request and the controls. */
export interface LabServices {
  /** Origin under which the caller reaches the lab, without a trailing slash. It is the issuer. */
  origin: string;
  state: LabState;
  /** Null without a certificate. Absent if the server asks for none: the lab does not offer mutual TLS then. */
  certificate?: LabCertificate | null;
  now(): Millis;
  random(length: number): Uint8Array;
}

/** The lab with the controls of one request, and with the requirements of FAPI 2.0 that it asks for. */
export interface Lab extends LabServices {
  controls: Controls;
  requirements: Requirements;
}

/** One endpoint of the lab: a function of request and lab. It records every violation, waived or not. */
export type LabHandler = (request: Request, lab: Lab, violations: Violations) => Promise<Response>;

/** A single-use secret that the lab issued: a code, a refresh token, a pushed request, a device code, ... */
interface NewTicket {
  /** Kind of the secret. Each kind has a separate limit. */
  kind:
    | 'code'
    | 'refresh'
    | 'consent'
    | 'logout'
    | 'par'
    | 'dpop'
    | 'assertion'
    | 'device'
    | 'user-code'
    | 'device-consent';
  /** SHA-256 of the secret, base64url. The secret itself is never stored. */
  hash: string;
  payload: string;
  createdAt: Millis;
  /** Time when the row may be deleted. The secret may expire earlier. */
  expiresAt: Millis;
}
export type TicketKind = NewTicket['kind'];

export interface Ticket extends NewTicket {
  /** Time of the first use, or null. */
  usedAt: Millis | null;
  /** Result of the use: the id of the grant issued for a code. Of an unused device code: its last poll. */
  mark: string | null;
}

/** Use of a key of the lab: access tokens and ID tokens by ES256 (`signing`), or ID tokens by RS256. */
export type KeyUse = 'signing' | 'id-token';

export interface StoredKey {
  kid: string;
  /** The private JWK, as JSON. */
  jwk: string;
  createdAt: Millis;
}

/** Maximum number of tickets stored per kind. The oldest are evicted. */
export const TICKETS_PER_KIND = 10_000;

/**
 * Stored state of the lab. Every method is atomic, across all processes on the same store. `claim` ensures the single
 * use of a code.
 */
export interface LabState {
  /** Stores a ticket, and evicts old ones. Returns false if the kind and hash exist already. */
  put(ticket: NewTicket): Promise<boolean>;
  /** Reads a ticket, used or not. Returns null if there is none. */
  read(kind: TicketKind, hash: string): Promise<Ticket | null>;
  /** Marks an unused ticket as used. Returns true to exactly one of several simultaneous callers. */
  claim(kind: TicketKind, hash: string, usedAt: Millis, mark: string | null): Promise<boolean>;
  /** Replaces the mark of a ticket. */
  remark(kind: TicketKind, hash: string, mark: string): Promise<void>;
  /**
   * Records that an id is revoked because of a control. The record is kept until `until`, when the id would have
   * expired anyway.
   */
  revoke(id: string, control: RefusingControl, until: Millis): Promise<void>;
  /** Returns the controls that caused the revocation of any of these ids. */
  revokedBy(ids: readonly string[]): Promise<RefusingControl[]>;
  /** Returns the key of a use. If none is stored, stores the given one. All callers get the same key. */
  signingKey(use: KeyUse, fresh: () => Promise<StoredKey>): Promise<StoredKey>;
  /** Deletes expired rows. Returns how many. */
  cleanUp(now: Millis): Promise<number>;
}
