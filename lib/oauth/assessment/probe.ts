import { createHash } from 'node:crypto';
import { base64url } from 'jose';
import type { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import { type Exchange, recordExchange, responseJson } from '@/lib/oauth/assessment/exchange';
import {
  type AuthorizationOutcome,
  type ResourceOutcome,
  readDirect,
  readRedirect,
  readResource,
  readTokens,
  type TokenOutcome,
  type Tokens,
} from '@/lib/oauth/assessment/outcomes';
import type { AssessmentTarget, TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, required } from '@/lib/oauth/assessment/verdict';
import type { Millis } from '@/lib/units';

/** Parameters of a request; null omits a default. */
export type Fields = Record<string, string | null>;

export const WITHOUT_PKCE: Fields = { code_challenge: null, code_challenge_method: null };

interface SendOptions {
  /** Controls that must not refuse this request, where the target can switch them off. */
  without?: readonly string[];
  headers?: Record<string, string>;
}

interface ClientOptions extends SendOptions {
  /** The target's first client by default. */
  client?: TargetClient;
  /** Added to the address of the token endpoint. */
  query?: string;
}

/** What probes need of the world. */
export interface ProbeServices {
  /** Monotonic milliseconds. */
  clock: () => Millis;
  random: (length: number) => Uint8Array;
}

/** What the probes of one assessment share: what was seen once need not be sent again, but is evidence for all. */
interface ProbeOptions extends ProbeServices {
  findings: Map<string, { value: Promise<unknown>; exchanges: Exchange[] }>;
  /** What must not leave the server with the evidence. */
  secrets: EvidenceSecrets;
}

/** Sends requests to a target for one control and keeps every exchange as evidence. */
export class Probe {
  readonly exchanges: Exchange[] = [];

  constructor(
    readonly target: AssessmentTarget,
    private readonly options: ProbeOptions,
  ) {}

  /** Unpredictable base64url text. */
  randomText(bytes = 32): string {
    return base64url.encode(this.options.random(bytes));
  }

  /** Sends a request and records it. @throws CannotProbe when the target cannot be reached */
  async send(label: string, url: string, init: RequestInit = {}, options: SendOptions = {}): Promise<Exchange> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    if (options.without !== undefined) this.target.capabilities.relax?.(headers, options.without);
    let request: Request;
    try {
      request = new Request(url, { ...init, headers, redirect: 'manual' });
    } catch {
      throw new CannotProbe('inconclusive', `The request "${label}" cannot be sent: the address is not usable.`);
    }
    try {
      const { transport } = this.target;
      const { clock, secrets } = this.options;
      const exchange = await recordExchange(label, request, { transport, clock, secrets });
      this.exchanges.push(exchange);
      return exchange;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown fault';
      throw new CannotProbe('inconclusive', `The target could not be reached: ${reason}`);
    }
  }

  /** Runs `find` once for all probes of an assessment; its exchanges are evidence for each. */
  async once<T>(key: string, find: () => Promise<T>): Promise<T> {
    const { findings } = this.options;
    const existing = findings.get(key);
    if (existing !== undefined) {
      this.exchanges.push(...existing.exchanges);
      return existing.value as Promise<T>;
    }
    const from = this.exchanges.length;
    const value = find();
    const entry = { value, exchanges: [] as Exchange[] };
    findings.set(key, entry);
    try {
      return await value;
    } finally {
      entry.exchanges.push(...this.exchanges.slice(from));
    }
  }

  /** The server's metadata (RFC 8414, else OpenID Connect Discovery). */
  metadata(): Promise<Record<string, unknown>> {
    return this.once('metadata', async () => {
      const { origin, pathname } = new URL(this.target.issuer);
      const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
      const addresses = [
        `${origin}/.well-known/oauth-authorization-server${path}`,
        `${origin}${path}/.well-known/openid-configuration`,
      ];
      for (const address of addresses) {
        const exchange = await this.send('Read the metadata', address);
        const metadata = responseJson(exchange);
        if (exchange.response.status === 200 && typeof metadata.issuer === 'string') return metadata;
      }
      throw new CannotProbe('inconclusive', 'The server publishes no metadata.');
    });
  }

  /** The address of an endpoint. @throws CannotProbe not_applicable when the metadata has none */
  async endpoint(name: string): Promise<string> {
    const url = (await this.metadata())[name];
    return required(typeof url === 'string' ? url : null, `The server's metadata names no ${name}.`, 'not_applicable');
  }

  /** Sends a valid authorization request with PKCE and state, except for what the fields change. */
  async authorize(label: string, fields: Fields = {}, options: ClientOptions = {}): Promise<AuthorizationOutcome> {
    const verifier = this.randomText();
    const parameters = this.authorizationParameters(fields, options.client, verifier);
    return this.authorizeWith(label, parameters, verifier, options);
  }

  /** Sends an authorization request with exactly these parameters. */
  async authorizeWith(
    label: string,
    parameters: URLSearchParams,
    verifier = '',
    options: SendOptions = {},
  ): Promise<AuthorizationOutcome> {
    if (!this.target.capabilities.directAuthorization) {
      const exchange = await this.#open(label, parameters, options);
      return readRedirect(exchange, parameters.get('redirect_uri') ?? this.target.client.redirectUri, verifier);
    }
    const endpoint = await this.endpoint('authorization_endpoint');
    return readDirect(await this.send(label, endpoint, { method: 'POST', body: parameters }, options), verifier);
  }

  /** Opens the authorization endpoint as a browser does, with the session where there is one. */
  browse(label: string, fields: Fields = {}): Promise<Exchange> {
    return this.#open(label, this.authorizationParameters(fields));
  }

  async #open(label: string, parameters: URLSearchParams, options: SendOptions = {}): Promise<Exchange> {
    const url = new URL(await this.endpoint('authorization_endpoint'));
    for (const [name, value] of parameters) url.searchParams.append(name, value);
    const headers = { accept: 'text/html', ...this.target.session };
    return this.send(label, url.href, { headers }, options);
  }

  /** The parameters of a valid authorization request, with changes. */
  authorizationParameters(
    fields: Fields = {},
    client: TargetClient = this.target.client,
    verifier = this.randomText(),
  ): URLSearchParams {
    const defaults = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      scope: this.target.scope,
      state: this.randomText(12),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    return formOf({ ...defaults, ...fields });
  }

  /** The target's scope less one value; empty where that is all of it. */
  scopeWithout(value: string): string {
    const others = this.target.scope.split(' ').filter((scope) => scope !== value);
    return others.join(' ');
  }

  /** A code. @throws CannotProbe inconclusive when none is given */
  async code(fields: Fields = {}, options: ClientOptions = {}) {
    const outcome = await this.authorize('Ask for a code', fields, options);
    if (outcome.kind === 'refused') throw refusal('The server gave no code', outcome.error);
    if (outcome.kind === 'granted') {
      return { ...outcome, code: required(outcome.parameters.code, 'The server gave no code.') };
    }
    const reason = 'The server answered with a page: a signed-in session with consent is needed.';
    throw new CannotProbe('inconclusive', reason);
  }

  redeem(
    label: string,
    given: { code: string; verifier: string },
    fields: Fields = {},
    options: ClientOptions = {},
  ): Promise<TokenOutcome> {
    const { code, verifier: code_verifier } = given;
    const redirect_uri = this.target.client.redirectUri;
    const defaults = { grant_type: 'authorization_code', code, redirect_uri, code_verifier };
    return this.tokenRequest(label, { ...defaults, ...fields }, options);
  }

  refresh(label: string, token: string, fields: Fields = {}, options: ClientOptions = {}) {
    return this.tokenRequest(label, { grant_type: 'refresh_token', refresh_token: token, ...fields }, options);
  }

  /** Sends a request to the token endpoint, authenticated as the client unless the fields say otherwise. */
  async tokenRequest(label: string, fields: Fields, options: ClientOptions = {}): Promise<TokenOutcome> {
    const endpoint = (await this.endpoint('token_endpoint')) + (options.query ?? '');
    const body = formOf({ ...this.credentials(options.client), ...fields });
    return readTokens(await this.send(label, endpoint, { method: 'POST', body }, options));
  }

  /** A client's credentials as form fields (RFC 6749 section 2.3.1). */
  credentials(client: TargetClient = this.target.client): Record<string, string> {
    return { client_id: client.id, ...(client.secret === null ? {} : { client_secret: client.secret }) };
  }

  /** A whole flow. @throws CannotProbe inconclusive when it does not complete */
  async flow(fields: Fields = {}, options: ClientOptions = {}): Promise<Tokens> {
    const given = await this.code(fields, options);
    const { client, headers } = options;
    const changes: Fields = client === undefined ? {} : { redirect_uri: client.redirectUri };
    const outcome = await this.redeem('Redeem the code', given, changes, { client, headers });
    if (outcome.kind === 'issued') return outcome.tokens;
    throw refusal('The code was not redeemed', outcome.error);
  }

  /** A flow that gives a refresh token. @throws CannotProbe not_applicable when the server gives none */
  async flowWithRefresh(fields: Fields = {}): Promise<Tokens & { refreshToken: string }> {
    const tokens = await this.flow(fields);
    const missing = 'The server gives this client no refresh token.';
    return { ...tokens, refreshToken: required(tokens.refreshToken, missing, 'not_applicable') };
  }

  /** Presents an access token to the protected resource. @throws CannotProbe not_applicable when there is none */
  async presentToken(label: string, token: string, { inQuery = false } = {}): Promise<ResourceOutcome> {
    const resource = required(this.target.resource, 'No protected resource is known.', 'not_applicable');
    const url = new URL(resource.url);
    if (inQuery) url.searchParams.set('access_token', token);
    const headers: Record<string, string> = inQuery ? {} : { authorization: `Bearer ${token}` };
    return readResource(await this.send(label, url.href, { headers }));
  }

  /**
   * An access token that the resource is seen to accept: without one, a refusal proves nothing.
   * @throws CannotProbe inconclusive when there is none
   */
  workingToken(): Promise<Tokens> {
    return this.once('working token', async () => {
      const tokens = await this.flow();
      const seen = await this.presentToken('Use a valid token', tokens.accessToken);
      if (seen.kind === 'opened') return tokens;
      throw new CannotProbe('inconclusive', 'The resource refuses even a valid token.');
    });
  }

  /** Moves the server's clock. @throws CannotProbe inconclusive when it cannot be moved */
  advance(seconds: number): void {
    const advance = required(this.target.capabilities.advance, "The server's clock cannot be moved.");
    this.options.findings.delete('working token');
    advance(seconds);
  }

  /** The second client. @throws CannotProbe inconclusive when there is none */
  otherClient(): TargetClient {
    return required(this.target.otherClient, 'A second client is needed.');
  }

  /** A client with a secret. @throws CannotProbe inconclusive when there is none */
  confidentialClient(): TargetClient & { secret: string } {
    const { client, otherClient } = this.target;
    const confidential = client.secret === null ? otherClient : client;
    const missing = 'A confidential client is needed.';
    return { ...required(confidential, missing), secret: required(confidential?.secret, missing) };
  }
}

function formOf(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

const refusal = (what: string, error: string | null): CannotProbe =>
  new CannotProbe('inconclusive', `${what}${error === null ? '' : `: ${error}`}.`);
