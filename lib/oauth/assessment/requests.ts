import type { Credentials } from '@/lib/oauth/assessment/client-credentials';
import type { TargetClient } from '@/lib/oauth/assessment/target';

/** Parameters of a request; null omits a default. */
export type Fields = Record<string, string | null>;

export const WITHOUT_PKCE: Fields = { code_challenge: null, code_challenge_method: null };

/** What a request may do differently. */
export interface SendOptions {
  /** Controls that must not refuse this request, where the target can switch them off. */
  without?: readonly string[];
  headers?: Record<string, string>;
}

/** What a request of a client may do differently. */
export interface ClientOptions extends SendOptions {
  /** The target's first client by default. */
  client?: TargetClient;
}

/** What a token request may do differently. */
export interface TokenOptions extends ClientOptions {
  /** Other credentials than the client's own. */
  credentials?: Credentials;
  /** Added to the address of the token endpoint. */
  query?: string;
}

/** What an authorization request may do differently. */
export interface AuthorizeOptions extends ClientOptions {
  /** Without a session: what anybody is shown. */
  anonymous?: boolean;
}

/** A code, with what redeems it. */
export interface CodeGrant {
  code: string;
  verifier: string;
  /** Seconds, as far as is known. */
  lifetime?: number | null;
  /** The client that asked for it; the first one by default. */
  client?: TargetClient;
  /** The resource that it was asked for (RFC 8707). */
  resource?: string | null;
}

/** The form of some fields, without those that are null. */
export function fill(fields: Fields): URLSearchParams {
  const entries = Object.entries(fields);
  return new URLSearchParams(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
