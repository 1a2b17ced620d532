import type { JWK, JWTPayload } from 'jose';
import type { Handshake, HandshakeOptions } from '@/lib/oauth/assessment/tls-handshake';
import type { Millis, Seconds } from '@/lib/units';

/** How requests reach a target: in process for the lab, over the network for any other server. Never follows redirects. */
export type Transport = (request: Request) => Promise<Response>;

/** How a client authenticates at the token endpoint (RFC 6749 section 2.3, OpenID Connect Core section 9). */
export type ClientAuthentication =
  | { method: 'none' }
  | { method: 'basic' | 'post'; secret: string }
  /** A private key, with `alg` and perhaps `kid`. */
  | { method: 'private_key_jwt'; key: JWK };

/** A client that is registered at the target. */
export interface TargetClient {
  id: string;
  redirectUri: string;
  authentication: ClientAuthentication;
}

/** A visit to the server that a person's browser is asked for. */
export interface WantedVisit {
  /** An authorization request. */
  url: string;
  /** What it is for, in a few words. */
  purpose: string;
  /** Where the browser comes back to. */
  redirectUri: string;
}

/** What can be done with a target beyond sending it requests. What cannot makes some probes inconclusive. */
interface Capabilities {
  /** Signs a token with the server's own key. */
  forge?: (claims: JWTPayload, header?: Record<string, unknown>) => Promise<string>;
  /** Moves the server's clock forward. */
  advance?: (seconds: number) => void;
  /** Turns further controls off for one request, so that only the one under test can refuse it. */
  relax?: (headers: Headers, controls: readonly string[]) => void;
  /** The authorization endpoint answers a POST with JSON, without a browser. */
  directAuthorization?: boolean;
  /** The clients' secrets stand in the documentation. */
  secretsArePublic?: boolean;
  /**
   * Sends a person's browser to the server and gives the address that it came back to; null when it did not come back.
   */
  visit?: (visit: WantedVisit) => Promise<string | null>;
}

/** A protected resource, and the scope that it needs (null when not known). */
interface TargetResource {
  url: string;
  scope: string | null;
}

/** An authorization server, a resource server or both, to assess. */
export interface AssessmentTarget {
  name: string;
  /** The issuer identifier: an origin, perhaps with a path. Empty where it is not known (yet). */
  issuer: string;
  transport: Transport;
  /** The time there, as far as is known: milliseconds since the epoch. */
  now: () => Millis;
  /** Shakes hands with the server of an address; absent where nothing goes over a network. */
  handshake?: (url: string, options: HandshakeOptions) => Promise<Handshake>;
  /** Null when only what needs no client is assessed. */
  client: TargetClient | null;
  /** A second client, for what must not work across clients. A confidential one also shows client authentication. */
  otherClient: TargetClient | null;
  /** A native client whose redirect URI is on a loopback address. */
  nativeClient: TargetClient | null;
  /** A client that authenticates with a key, where none of the others does. */
  keyClient?: TargetClient;
  /** Whether the client has registered more than one redirect URI; null when not known. */
  severalRedirectUris: boolean | null;
  /** Enough for the resource and, if there are any, for ID and refresh tokens. Empty: what the server gives by default. */
  scope: string;
  resource: TargetResource | null;
  /** The authorization server is found by the metadata of the resource (RFC 9728), and tokens are asked for it. */
  isFoundByResource: boolean;
  /** Further parameters of every authorization request, such as `audience` or `prompt`. */
  parameters: Readonly<Record<string, string>>;
  /** Endpoints by hand, by their names in metadata, where there is none or it is wrong. */
  endpoints: Readonly<Record<string, string>>;
  /** Who signs in: a person whose browser is asked to visit the server, nobody, or a person whose cookie was given. */
  login: 'browser' | 'cookie' | 'none';
  /** The Cookie header of a browser that is signed in at the server; empty when there is none. */
  cookie: string;
  /** The most that is sent; null for no limit. */
  requestsPerSecond: number | null;
  /** How long an assessment may wait to see a code or a token expire. */
  patience: Seconds;
  capabilities: Capabilities;
}

/** The secret of a client that has one. */
export function secretOf({ authentication }: TargetClient): string | null {
  return 'secret' in authentication ? authentication.secret : null;
}

export const isConfidential = ({ authentication }: TargetClient): boolean => authentication.method !== 'none';
