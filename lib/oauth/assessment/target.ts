import type { JWK, JWTPayload } from 'jose';
import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import type { Handshake, HandshakeOptions } from '@/lib/oauth/assessment/tls-handshake';
import type { Millis, Seconds } from '@/lib/units';

/**
 * Sends a request to a target: in process for the lab, over the network for other servers. It never follows redirects.
 * A certificate is presented in the TLS handshake, if there is one and the server asks for it.
 */
export type Transport = (request: Request, certificate?: ClientCertificate) => Promise<Response>;

/** Authentication of a client at the token endpoint (RFC 6749 section 2.3, OpenID Connect Core section 9). */
export type ClientAuthentication =
  | { method: 'none' }
  | { method: 'basic' | 'post'; secret: string }
  /** A private key, with `alg` and optionally `kid`. */
  | { method: 'private_key_jwt'; key: JWK }
  /** The certificate of the client, in the TLS handshake (RFC 8705 section 2). */
  | { method: 'tls_client_auth' | 'self_signed_tls_client_auth' };

/** A client that is registered at the target. */
export interface TargetClient {
  id: string;
  redirectUri: string;
  /** Address for the browser after a logout, if one is known to be registered. */
  postLogoutRedirectUri?: string | undefined;
  authentication: ClientAuthentication;
  /** Certificate for TLS handshakes. A public client may have one, too (RFC 8705 section 4). */
  certificate?: ClientCertificate;
  /** True if its tokens must be bound to the certificate. Undefined if unknown (RFC 8705 section 3.4). */
  hasBoundTokens?: boolean;
}

/** A visit to the server that a person's browser must make. */
export interface WantedVisit {
  /** Address of the authorization request. */
  url: string;
  /** Purpose of the visit, in a few words. */
  purpose: string;
  /** Address that the browser returns to. */
  redirectUri: string;
}

/** Abilities of a target in addition to answering requests. A missing ability leaves some controls inconclusive. */
interface Capabilities {
  /** Signs a token with the server's own key. */
  forge?: (claims: JWTPayload, header?: Record<string, unknown>) => Promise<string>;
  /** Moves the server's clock forward. */
  advance?: (seconds: number) => void;
  /** Turns other controls off for one request, so that only the tested control can refuse it. */
  relax?: (headers: Headers, controls: readonly string[]) => void;
  /** True if the authorization endpoint answers a POST with JSON, without a browser. */
  directAuthorization?: boolean;
  /** True if the clients' secrets are public, because the documentation contains them. */
  secretsArePublic?: boolean;
  /**
   * Sends a person's browser to the server, and returns the address that it returned to. Returns null if it did not
   * return.
   */
  visit?: (visit: WantedVisit) => Promise<string | null>;
}

/** A protected resource, and the scope that it requires (null if unknown). */
interface TargetResource {
  url: string;
  scope: string | null;
}

/** Registration of clients for an assessment, if the server offers it. */
interface WantedRegistration {
  redirectUri: string;
  /** Address of a client metadata document with this redirect URI. Null if none is served. */
  document: string | null;
}

/** An authorization server, a resource server or both, to assess. */
export interface AssessmentTarget {
  name: string;
  /** Address of unknown kind: an issuer or a protected resource. Null if the kind is known. */
  address: string | null;
  /** Null if no client is registered. */
  registration: WantedRegistration | null;
  /** Issuer identifier: an origin, optionally with a path. Empty if not known yet. */
  issuer: string;
  transport: Transport;
  /** Time at the target, as far as it is known, in milliseconds since the epoch. */
  now: () => Millis;
  /** Makes a TLS handshake with the server of an address. Absent for a target in process. */
  handshake?: (url: string, options: HandshakeOptions) => Promise<Handshake>;
  /** Null if only controls without a client are assessed. */
  client: TargetClient | null;
  /**
   * Second client, for requests that must not work across clients. If confidential, it also tests client
   * authentication.
   */
  otherClient: TargetClient | null;
  /** Native client whose redirect URI is a loopback address. */
  nativeClient: TargetClient | null;
  /** Client that authenticates with a key, if no other does. */
  keyClient?: TargetClient;
  /** True if the client has registered more than one redirect URI. Null if unknown. */
  severalRedirectUris: boolean | null;
  /**
   * Scope that suffices for the resource, and for ID and refresh tokens if there are any. Empty requests the default of
   * the server.
   */
  scope: string;
  resource: TargetResource | null;
  /**
   * Whether the resource's metadata names the authorization server (RFC 9728). Tokens are requested for that resource
   * then.
   */
  isFoundByResource: boolean;
  /** Further parameters of every authorization request, such as `audience` or `prompt`. */
  parameters: Readonly<Record<string, string>>;
  /** Endpoints entered by hand, by their names in metadata. They replace missing or wrong ones. */
  endpoints: Readonly<Record<string, string>>;
  /** Sign-in: through a person's browser, with a cookie, or none. */
  login: 'browser' | 'cookie' | 'none';
  /** Cookie header of a browser that is signed in at the server. Empty if there is none. */
  cookie: string;
  /** Maximum request rate. Null for no limit. */
  requestsPerSecond: number | null;
  /** Longest wait for a code or a token to expire. */
  patience: Seconds;
  capabilities: Capabilities;
}

/** Returns the secret of a client that has one. */
export function readSecret({ authentication }: TargetClient): string | null {
  return 'secret' in authentication ? authentication.secret : null;
}

/** Returns whether a client authenticates by its certificate (RFC 8705 section 2). */
export const isCertified = ({ authentication }: TargetClient): boolean =>
  authentication.method === 'tls_client_auth' || authentication.method === 'self_signed_tls_client_auth';

export const isConfidential = ({ authentication }: TargetClient): boolean => authentication.method !== 'none';
