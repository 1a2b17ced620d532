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
  /** Other credentials than the client's own; made anew where a request has to be sent again. */
  credentials?: Credentials | (() => Promise<Credentials>);
  /** Without a proof of possession, where the server demands one. */
  withoutProof?: boolean;
  /** A field that is sent twice. */
  twice?: string;
  /** Everything in the address. */
  byGet?: boolean;
  /** Added to the address of the token endpoint. */
  query?: string;
}

/** What an authorization request may do differently. */
export interface AuthorizeOptions extends ClientOptions {
  /** Without a session: what anybody is shown. */
  anonymous?: boolean;
  /** By the browser, even where requests have to be pushed. */
  direct?: boolean;
  /** Nothing is wrong with it: a person may be asked to help. */
  isInOrder?: boolean;
}

/** How an access token is presented. */
export interface PresentOptions extends SendOptions {
  inQuery?: boolean;
  /** As a bearer token, where the server demands proof of possession. */
  withoutProof?: boolean;
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
