import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import type { CredentialsSource } from '@/lib/oauth/assessment/client-credentials';
import type { TargetClient } from '@/lib/oauth/assessment/target';

/** Parameters of a request; null omits a default. */
export type Fields = Record<string, string | null>;

export const WITHOUT_PKCE: Fields = { code_challenge: null, code_challenge_method: null };

/** Options of a request. */
export interface SendOptions {
  /** Controls that must not refuse this request, if the target can switch them off. */
  without?: readonly string[];
  headers?: Record<string, string>;
  /** Presented in the TLS handshake, only to endpoints of the target. */
  certificate?: ClientCertificate;
}

/** Options of a client's request. */
export interface ClientOptions extends SendOptions {
  /** The sending client. By default the first client of the target. */
  client?: TargetClient;
}

/** Options of a token request. */
export interface TokenOptions extends ClientOptions {
  /** Credentials that replace the client's own. A function is called again if the request is repeated. */
  credentials?: CredentialsSource;
  /** Omits the proof of possession, even if the server requires one. */
  withoutProof?: boolean;
  /** A field that is sent twice. */
  twice?: string;
  /** Sends all fields in the address. */
  byGet?: boolean;
  /** Query that is added to the address of the token endpoint. */
  query?: string;
}

/** Options of an authorization request. */
export interface AuthorizeOptions extends ClientOptions {
  /** Sends the request without a session. */
  anonymous?: boolean;
  /** Sends the request through the browser, even if requests must be pushed. */
  direct?: boolean;
  /** Does not submit pages that only ask for consent. */
  withoutAgreeing?: boolean;
  /** Sends the request by POST (RFC 6749 section 3.1). */
  byPost?: boolean;
  /** Pushes the request (RFC 9126), even if the server does not require that. */
  pushed?: boolean;
  /** Marks a valid request. Only for such requests a person may be asked to help. */
  isValid?: boolean;
}

/** Presentation of an access token. */
export interface PresentOptions extends SendOptions {
  inQuery?: boolean;
  /** Presents nothing: no header, and no parameter. */
  withoutToken?: boolean;
  /** Presents it without the certificate that it was issued to. */
  withoutCertificate?: boolean;
  /** Presents it as a bearer token, even if the server requires proof of possession. */
  withoutProof?: boolean;
}

/** A code, with the values needed to redeem it. */
export interface CodeGrant {
  code: string;
  verifier: string;
  /** Lifetime in seconds, if known. */
  lifetime?: number | null;
  /** Client that requested it. By default the first client. */
  client?: TargetClient;
  /** Resource that it was requested for (RFC 8707). */
  resource?: string | null;
}

/** Encodes fields as a form. Null fields are omitted. */
export function fill(fields: Fields): URLSearchParams {
  const entries = Object.entries(fields);
  return new URLSearchParams(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
