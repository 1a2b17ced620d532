import type { JWTPayload } from 'jose';

/** How requests reach a target: in process for the lab, over the network for another server. Follows no redirects. */
export type Transport = (request: Request) => Promise<Response>;

export interface TargetClient {
  id: string;
  /** Null for a public client. */
  secret: string | null;
  redirectUri: string;
}

/** What can be done with a target beyond sending it requests. What cannot makes some probes inconclusive. */
interface Capabilities {
  /** Signs a token with the server's own key. */
  forge?: (claims: JWTPayload, header?: { typ?: string }) => Promise<string>;
  advance?: (seconds: number) => void;
  /** Turns further controls off for one request, so that only the one under test can refuse it. */
  relax?: (headers: Headers, controls: readonly string[]) => void;
  /** The authorization endpoint answers a POST with JSON, without a browser. */
  directAuthorization?: boolean;
}

/** An authorization server and a resource server to assess. */
export interface AssessmentTarget {
  name: string;
  /** The issuer identifier: an origin, perhaps with a path. */
  issuer: string;
  transport: Transport;
  client: TargetClient;
  /** A second client, for what must not work across clients. A confidential one also shows client authentication. */
  otherClient?: TargetClient;
  /** A native client whose redirect URI is on a loopback address. */
  nativeClient?: TargetClient;
  severalRedirectUris: boolean;
  /** Enough for the resource and, if there are any, for ID and refresh tokens. */
  scope: string;
  /** A protected resource that answers GET, and the scope that it needs (null when not known). */
  resource: { url: string; scope: string | null } | null;
  /** Headers of a browser that is signed in at the server, such as its cookie. */
  session: Record<string, string>;
  capabilities: Capabilities;
}
