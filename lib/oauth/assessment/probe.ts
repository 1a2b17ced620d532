import { createHash } from 'node:crypto';
import { base64url } from 'jose';
import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import { type Credentials, credentialsOf, identified } from '@/lib/oauth/assessment/client-credentials';
import { type AcceptedRequest, compareAccess, wallOf, whyNotInOrder } from '@/lib/oauth/assessment/comparison';
import type { Demands } from '@/lib/oauth/assessment/demands';
import { withNonce } from '@/lib/oauth/assessment/dpop-session';
import { type Exchange, responseHeader, responseJson } from '@/lib/oauth/assessment/exchange';
import { isAnswerToPost, MCP_INITIALIZE, WANTS_POST } from '@/lib/oauth/assessment/mcp';
import {
  type AuthorizationOutcome,
  readBrowser,
  readDirect,
  readTokens,
  type TokenOutcome,
  type Tokens,
} from '@/lib/oauth/assessment/outcomes';
import {
  type AuthorizeOptions,
  type ClientOptions,
  type CodeGrant,
  type Fields,
  fill,
  type PresentOptions,
  type SendOptions,
  type TokenOptions,
} from '@/lib/oauth/assessment/requests';
import type { Sender } from '@/lib/oauth/assessment/sender';
import {
  MOST_REDIRECTS,
  metadataAddresses,
  redirectWithin,
  whyNoMetadata,
} from '@/lib/oauth/assessment/server-metadata';
import { type FilledForm, readPage, type ShownPage } from '@/lib/oauth/assessment/shown-page';
import { type AssessmentTarget, isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Seconds } from '@/lib/units';

/** Exchanges requests with a target for one control; the sender keeps each as evidence. */
export class Probe {
  constructor(
    readonly target: AssessmentTarget,
    private readonly sender: Sender,
    /** What is judged, for a person who is asked to help. */
    private readonly purpose = 'The set-up check',
  ) {}

  /** Everything that was exchanged for this control. */
  get exchanges(): readonly Exchange[] {
    return this.sender.exchanges;
  }

  /** Unpredictable base64url text. */
  randomText(bytes = 32): string {
    return base64url.encode(this.sender.random(bytes));
  }

  /** Seconds since the epoch, as the target counts them as far as is known. */
  now(): number {
    return this.sender.epochSeconds();
  }

  /** Sends a request and records it. @throws CannotProbe inconclusive when the target cannot be reached */
  send(label: string, url: string, init: RequestInit = {}, options: SendOptions = {}): Promise<Exchange> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    if (options.without !== undefined) this.target.capabilities.relax?.(headers, options.without);
    return this.sender.send(label, url, { ...init, headers });
  }

  /** Reads a published document. Redirects that stay at its origin are followed, as clients do. */
  async readDocument(label: string, url: string): Promise<Exchange> {
    let address = url;
    let exchange = await this.send(label, address);
    for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
      const next = redirectWithin(exchange, address);
      if (next === null) break;
      address = next;
      exchange = await this.send(label, address);
    }
    return exchange;
  }

  /** Runs `find` once for all probes of an assessment; its exchanges are evidence for each. */
  once<T>(key: string, find: () => Promise<T>): Promise<T> {
    return this.sender.once(key, find);
  }

  /** Forgets what `once` found. */
  forget(key: string): void {
    this.sender.forget(key);
  }

  /** Waits until so long after the start of the assessment. @throws CannotProbe when that is more than may be waited */
  waitUntil(seconds: number): Promise<void> {
    return this.sender.waitUntil(seconds, this.target.patience);
  }

  /** The server's metadata (RFC 8414, else OpenID Connect Discovery), with the endpoints given by hand. */
  metadata(): Promise<Record<string, unknown>> {
    return this.once('metadata', async () => {
      const { issuer, endpoints, isFoundByResource } = this.target;
      const isByHand = Object.keys(endpoints).length > 0;
      if (issuer === '' && isByHand) return { ...endpoints };
      if (issuer === '') {
        const why = isFoundByResource ? 'the metadata of the resource names none' : 'nothing says where it is';
        throw new CannotProbe('inconclusive', `The authorization server is not known: ${why}.`);
      }
      const problems: string[] = [];
      for (const address of metadataAddresses(issuer)) {
        const exchange = await this.readDocument('Read the metadata', address);
        const problem = whyNoMetadata(exchange);
        if (problem === null) return { ...responseJson(exchange), ...endpoints };
        problems.push(`${new URL(address).pathname} ${problem}`);
      }
      if (isByHand) return { ...endpoints };
      throw new CannotProbe('inconclusive', `The server publishes no metadata: ${problems.join('; ')}.`);
    });
  }

  /** The address of an endpoint. @throws CannotProbe not_applicable when the metadata has none */
  async endpoint(name: string): Promise<string> {
    const value = (await this.metadata())[name];
    if (typeof value === 'string' && URL.canParse(value)) return value;
    throw new CannotProbe('not_applicable', `The server's metadata names no ${name}.`);
  }

  /** The first client. @throws CannotProbe inconclusive when there is none */
  client(): TargetClient {
    if (this.target.client !== null) return this.target.client;
    throw new CannotProbe('inconclusive', 'A client is needed.');
  }

  /** The first client, or one that nobody registered: for what anybody may ask. */
  anyClient(): TargetClient {
    const redirectUri = 'https://unregistered.example/landing';
    return this.target.client ?? { id: 'no-such-client', redirectUri, authentication: { method: 'none' } };
  }

  /** The second client. @throws CannotProbe inconclusive when there is none */
  otherClient(): TargetClient {
    if (this.target.otherClient !== null) return this.target.otherClient;
    throw new CannotProbe('inconclusive', 'A second client is needed.');
  }

  /** Every client that is known. */
  clients(): TargetClient[] {
    const { client, otherClient, nativeClient, keyClient = null } = this.target;
    return [client, otherClient, nativeClient, keyClient].filter((known) => known !== null);
  }

  /** A client that authenticates. @throws CannotProbe inconclusive when there is none */
  confidentialClient(): TargetClient {
    const found = this.clients().find(isConfidential);
    if (found !== undefined) return found;
    throw new CannotProbe('inconclusive', 'A confidential client is needed.');
  }

  /** Sends a valid authorization request with PKCE and state, except for what the fields change. */
  async authorize(label: string, fields: Fields = {}, options: AuthorizeOptions = {}): Promise<AuthorizationOutcome> {
    const verifier = this.randomText();
    const parameters = this.authorizationParameters(fields, options.client, verifier);
    return this.authorizeWith(label, parameters, verifier, options);
  }

  /** Sends an authorization request with exactly these parameters, pushed where the server demands it. */
  async authorizeWith(
    label: string,
    parameters: URLSearchParams,
    verifier = '',
    options: AuthorizeOptions = {},
  ): Promise<AuthorizationOutcome> {
    const { capabilities } = this.target;
    const client = options.client ?? this.client();
    const endpoint = await this.endpoint('authorization_endpoint');
    if (capabilities.directAuthorization === true && options.anonymous !== true) {
      return readDirect(await this.send(label, endpoint, { method: 'POST', body: parameters }, options), verifier);
    }
    const redirectUri = parameters.get('redirect_uri') ?? client.redirectUri;
    const address = await this.#addressOf(label, parameters, options);
    if (typeof address !== 'string') return readBrowser(address, redirectUri, verifier);
    const anonymous = options.anonymous === true || capabilities.visit !== undefined || this.target.cookie === '';
    const session = anonymous ? new BrowserSession(endpoint) : this.sender.session(endpoint, this.target.cookie);
    const send = (what: string, url: string, init: RequestInit) => this.send(what, url, init, options);
    const exchange = await session.open(send, label, address, { redirectUri, agree: !anonymous });
    const outcome = readBrowser(exchange, redirectUri, verifier);
    const isOurs = redirectUri === client.redirectUri;
    if (capabilities.visit === undefined || options.anonymous || !isOurs) return outcome;
    if (outcome.kind !== 'page' || !this.sender.mayVisit(outcome.page, options.isInOrder)) return outcome;
    const purpose = this.sender.isFirstVisit(client.id)
      ? `Sign in, and agree to what ${client.id} asks for`
      : `${this.purpose}: agree if a page asks again, otherwise there is nothing to do`;
    const back = await capabilities.visit({ url: address, purpose, redirectUri });
    if (back === null) this.sender.stayedAt(outcome.page);
    return back === null ? outcome : readBrowser(this.sender.recordVisit(label, address, back), redirectUri, verifier);
  }

  /** The address of an authorization request; the answer to the pushed one where that was refused (RFC 9126 section 2.3). */
  async #addressOf(
    label: string,
    parameters: URLSearchParams,
    { direct = false, anonymous: _, ...options }: AuthorizeOptions = {},
  ): Promise<string | Exchange> {
    const url = new URL(await this.endpoint('authorization_endpoint'));
    const isPushed = !parameters.has('request_uri') && !direct && (await this.pushes());
    let sent = parameters;
    if (isPushed) {
      const pushed = await this.push(`${label}, pushed`, parameters, options);
      const { request_uri } = responseJson(pushed);
      if (typeof request_uri !== 'string') return pushed;
      sent = new URLSearchParams({ client_id: parameters.get('client_id') ?? this.client().id, request_uri });
    }
    for (const [name, value] of sent) url.searchParams.append(name, value);
    return url.href;
  }

  /** Whether the server takes pushed authorization requests alone. */
  async pushes(): Promise<boolean> {
    return this.demands.pushes || (await this.metadata()).require_pushed_authorization_requests === true;
  }

  /** Pushes the parameters of an authorization request, authenticated unless it is anonymous. */
  async push(
    label: string,
    parameters: URLSearchParams,
    options: ClientOptions & { anonymous?: boolean } = {},
  ): Promise<Exchange> {
    const { client = this.client(), anonymous, ...others } = options;
    const endpoint = await this.endpoint('pushed_authorization_request_endpoint');
    const { fields, headers } = anonymous ? identified(client) : await this.credentials(client);
    const body = new URLSearchParams(parameters);
    for (const [name, value] of fill(fields)) if (name !== 'client_id' || !body.has(name)) body.set(name, value);
    return this.send(
      label,
      endpoint,
      { method: 'POST', body },
      { ...others, headers: { ...headers, ...others.headers } },
    );
  }

  /**
   * The page that asks a signed-in person to agree, or anybody to sign in, as a way to post its form; what has to be
   * typed is nonsense. With `anonymous` nobody is signed in.
   * @throws CannotProbe not_applicable when no such page is shown
   */
  async askingPage(fields: Fields, formOf: (page: ShownPage) => FilledForm | null, { anonymous = false } = {}) {
    const endpoint = await this.endpoint('authorization_endpoint');
    const { cookie } = this.target;
    const session = anonymous || cookie === '' ? new BrowserSession(endpoint) : this.sender.session(endpoint, cookie);
    const url = await this.#addressOf('Open the page that asks', this.authorizationParameters(fields));
    if (typeof url !== 'string') throw new CannotProbe('inconclusive', 'The server does not take the request.');
    const options = { redirectUri: this.client().redirectUri, agree: false };
    const send = (label: string, address: string, init: RequestInit) => this.send(label, address, init);
    const form = formOf(readPage(await session.open(send, 'Open the page that asks', url, options)));
    if (form === null) throw new CannotProbe('not_applicable', 'The server shows no page with a form to post.');
    return {
      submit: (label: string) => session.submit(send, label, form, null),
      complete: (label: string) => session.submit(send, label, form, options),
    };
  }

  /**
   * What becomes of the request in order: what a refusal is held against.
   * @throws CannotProbe inconclusive when it is not accepted: then a refusal would prove nothing
   */
  async inOrder(options: AuthorizeOptions = {}): Promise<AcceptedRequest> {
    const anonymous = options.anonymous === true || this.target.capabilities.visit !== undefined;
    return this.accepted(await this.authorize('The request in order', {}, { ...options, anonymous }));
  }

  /** A request in order, that was accepted. @throws CannotProbe inconclusive when it was not */
  async accepted(outcome: AuthorizationOutcome): Promise<AcceptedRequest> {
    const why = whyNotInOrder(outcome);
    if (why === null) return { outcome, bare403: await this.#bare403() };
    throw new CannotProbe('inconclusive', `The request in order is not accepted either: ${why}.`);
  }

  #bare403(): Promise<string | null> {
    return this.once('bare 403', async () => {
      const { exchange } = await this.authorize(
        'An invented client',
        { client_id: this.randomText(12) },
        { anonymous: true },
      );
      return exchange.response.status === 403 && wallOf(exchange) !== null ? exchange.response.body : null;
    });
  }

  /** The parameters of a valid authorization request, with changes. */
  authorizationParameters(
    fields: Fields = {},
    client: TargetClient = this.client(),
    verifier = this.randomText(),
  ): URLSearchParams {
    const isOpenId = this.target.scope.split(' ').includes('openid');
    return fill({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      scope: this.target.scope || null,
      state: this.randomText(12),
      nonce: isOpenId ? this.randomText(12) : null,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...this.target.parameters,
      ...fields,
    });
  }

  /** The target's scope without one value; empty where that is all of it. */
  scopeWithout(value: string): string {
    const values = this.target.scope.split(' ');
    return values.filter((scope) => scope !== value).join(' ');
  }

  /** A code. @throws CannotProbe inconclusive when none is given */
  async code(fields: Fields = {}, options: ClientOptions = {}): Promise<CodeGrant> {
    const client = options.client ?? this.client();
    const outcome = await this.authorize('Ask for a code', fields, { ...options, client, isInOrder: true });
    const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
    if (outcome.kind === 'granted' && code !== undefined) {
      this.sender.collect('code', code);
      const { resource = this.target.parameters.resource } = fields;
      return { code, verifier: outcome.verifier, lifetime: outcome.lifetime, client, resource };
    }
    const why = whyNotInOrder(outcome);
    if (outcome.kind === 'page' && why === null) {
      throw new CannotProbe('inconclusive', 'The server shows a page: a signed-in session is needed.');
    }
    throw new CannotProbe('inconclusive', `The server gave no code${why === null ? '' : `: ${why}`}.`);
  }

  /** A code, and a token, that were asked for at the start and left alone: how long they live is seen at the end. */
  keptCode(): Promise<{ grant: CodeGrant; askedAt: Seconds }> {
    return this.once('kept code', async () => ({ grant: await this.code(), askedAt: this.age() }));
  }

  keptToken(): Promise<{ tokens: Tokens; askedAt: Seconds }> {
    return this.once('kept token', async () => ({ tokens: await this.flow(), askedAt: this.age() }));
  }

  /** Seconds since the assessment began. */
  age(): Seconds {
    return this.sender.age();
  }

  /** Values of a kind that were seen so far in the assessment. */
  collected(kind: string): string[] {
    return this.sender.collected(kind);
  }

  /** Redeems a code, as the client that asked for it. */
  redeem(label: string, grant: CodeGrant, fields: Fields = {}, options: TokenOptions = {}): Promise<TokenOutcome> {
    const client = grant.client ?? this.client();
    const defaults = {
      grant_type: 'authorization_code',
      code: grant.code,
      redirect_uri: client.redirectUri,
      code_verifier: grant.verifier,
      resource: grant.resource ?? null,
    };
    return this.tokenRequest(label, { ...defaults, ...fields }, { client, ...options });
  }

  /** Uses a refresh token. */
  refresh(label: string, token: string, fields: Fields = {}, options: TokenOptions = {}): Promise<TokenOutcome> {
    const { resource = null } = this.target.parameters;
    return this.tokenRequest(
      label,
      { grant_type: 'refresh_token', refresh_token: token, resource, ...fields },
      options,
    );
  }

  /**
   * Sends a request to the token endpoint, authenticated as the client unless the options say otherwise, and with a
   * proof of possession where the server demands one.
   */
  async tokenRequest(label: string, fields: Fields, options: TokenOptions = {}): Promise<TokenOutcome> {
    let outcome = await this.#tokenRequest(label, fields, options);
    const hasOwn = options.withoutProof === true || options.headers?.dpop !== undefined;
    for (let again = 0; again < 2 && !hasOwn && (await this.demands.learn(outcome.exchange)); again++)
      outcome = await this.#tokenRequest(label, fields, options);
    if (outcome.kind === 'issued') {
      const { accessToken, refreshToken } = outcome.tokens;
      this.sender.collect('access token', accessToken);
      if (refreshToken !== null) this.sender.collect('refresh token', refreshToken);
    }
    return outcome;
  }

  async #tokenRequest(label: string, fields: Fields, options: TokenOptions): Promise<TokenOutcome> {
    const { credentials: given = () => this.credentials(options.client), query = '', twice, byGet = false } = options;
    const credentials = typeof given === 'function' ? await given() : given;
    const url = (await this.endpoint('token_endpoint')) + query;
    const body = fill({ ...credentials.fields, ...fields });
    if (twice !== undefined) body.append(twice, body.get(twice) ?? '');
    const method = byGet ? 'GET' : 'POST';
    const proof = options.withoutProof === true ? {} : await this.#proof(method, url);
    const headers = { accept: 'application/json', ...credentials.headers, ...proof, ...options.headers };
    const address = new URL(url);
    if (byGet) for (const [name, value] of body) address.searchParams.append(name, value);
    const init = byGet ? { method } : { method, body };
    return readTokens(await this.send(label, address.href, init, { ...options, headers }));
  }

  /** What the server turned out to demand of every flow. */
  get demands(): Demands {
    return this.sender.demands;
  }

  async #proof(method: string, url: string, token?: string): Promise<Record<string, string>> {
    const { dpop } = this.demands;
    if (dpop === null) return {};
    return { dpop: await dpop.proof({ method, url, jti: this.randomText(16), now: this.now(), token }) };
  }

  /** A client's credentials, by its own method. */
  credentials(client: TargetClient = this.client()): Promise<Credentials> {
    return credentialsOf(client, { audience: this.assertionAudience, now: this.now(), jti: this.randomText(16) });
  }

  /** Whom client assertions are for: the issuer, unless the server takes the token endpoint alone (RFC 7523 section 3). */
  get assertionAudience(): string {
    const { issuer, endpoints } = this.target;
    return this.demands.assertionAudience ?? (issuer || (endpoints.token_endpoint ?? ''));
  }

  /** A whole flow. @throws CannotProbe inconclusive when it does not complete */
  async flow(fields: Fields = {}, options: ClientOptions = {}): Promise<Tokens> {
    const outcome = await this.redeem('Redeem the code', await this.code(fields, options), {}, options);
    if (outcome.kind === 'issued') return outcome.tokens;
    const why = outcome.error === null ? '' : `: ${outcome.error}`;
    throw new CannotProbe('inconclusive', `The code was not redeemed${why}.`);
  }

  /** A flow that gives a refresh token. @throws CannotProbe not_applicable when the server gives none */
  async flowWithRefresh(fields: Fields = {}, options: ClientOptions = {}): Promise<Tokens & { refreshToken: string }> {
    const tokens = await this.flow(fields, options);
    const { refreshToken } = tokens;
    if (refreshToken !== null) return { ...tokens, refreshToken };
    throw new CannotProbe('not_applicable', 'The server gives this client no refresh token.');
  }

  /**
   * Presents an access token to the protected resource, with a proof of possession where the server demands one.
   * @throws CannotProbe not_applicable when there is none
   */
  async presentToken(label: string, token: string, options: PresentOptions = {}) {
    const { resource } = this.target;
    if (resource === null) throw new CannotProbe('not_applicable', 'No protected resource is known.');
    const { dpop } = this.demands;
    const isProven = dpop !== null && options.withoutProof !== true && options.headers?.authorization === undefined;
    const url = new URL(resource.url);
    if (options.inQuery) url.searchParams.set('access_token', token);
    const scheme = isProven ? 'DPoP' : 'Bearer';
    const present = async (what: string, call: RequestInit & { method: string }) => {
      const authorization: Record<string, string> = options.inQuery ? {} : { authorization: `${scheme} ${token}` };
      const proof = isProven ? await this.#proof(call.method, resource.url, token) : {};
      const headers = { ...authorization, ...proof, ...options.headers };
      return { exchange: await this.send(what, url.href, call, { ...options, headers }) };
    };
    const first = () => present(label, this.sender.resourceCall);
    let { exchange } = isProven ? await withNonce(dpop, first) : await first();
    if (WANTS_POST.has(exchange.response.status) && this.sender.mayTryPost()) {
      const { exchange: posted } = await present(`${label}, to open an MCP session`, MCP_INITIALIZE);
      if (isAnswerToPost(posted.response.status)) {
        this.sender.resourceCall = MCP_INITIALIZE;
        exchange = posted;
      }
    }
    const { status } = exchange.response;
    const accepted = status >= 200 && status < 300;
    return { kind: accepted ? ('opened' as const) : ('refused' as const), accepted, status, exchange };
  }

  /** How the resource is asked: by GET, or by POST once an MCP server was seen to want that. */
  get resourceMethod(): string {
    return this.sender.resourceCall.method;
  }

  /**
   * An access token that the resource is seen to accept right now: without one, a refusal proves nothing.
   * @throws CannotProbe inconclusive when there is none
   */
  async workingToken(): Promise<Tokens> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const tokens = await this.once('working token', () => this.flow());
      const seen = await this.presentToken('Use a valid token', tokens.accessToken);
      if (seen.accepted) return tokens;
      const compared = compareAccess(seen);
      if (compared.kind === 'undecided')
        throw new CannotProbe('inconclusive', `The resource does not answer: ${compared.why}.`);
      // It may want tokens that are bound to a key.
      if ('dpop_signing_alg_values_supported' in (await this.metadata())) await this.demands.learn(seen.exchange);
      this.forget('working token');
    }
    throw new CannotProbe('inconclusive', 'The resource refuses even a valid token.');
  }

  /** Why an answer of the resource says nothing. A bare 403 is its own word where it opens for a valid token. */
  async wallAtResource(exchange: Exchange): Promise<string | null> {
    const wall = wallOf(exchange);
    if (wall === null || exchange.response.status !== 403 || this.target.client === null) return wall;
    return this.workingToken().then(
      () => null,
      () => wall,
    );
  }

  /** Moves the server's clock. @throws CannotProbe inconclusive when it cannot be moved */
  advance(seconds: number): void {
    const { advance } = this.target.capabilities;
    if (advance === undefined) throw new CannotProbe('inconclusive', "The server's clock cannot be moved.");
    this.forget('working token');
    advance(seconds);
  }

  /** The value of a header of an answer; null when it is absent. */
  header(exchange: Exchange, name: string): string | null {
    return responseHeader(exchange, name);
  }
}
