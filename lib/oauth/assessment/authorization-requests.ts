import { createHash } from 'node:crypto';
import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import { type Credentials, identifyClient } from '@/lib/oauth/assessment/client-credentials';
import { type AcceptedRequest, explainRefusal, explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { FilledForm } from '@/lib/oauth/assessment/fill-forms';
import { type AuthorizationOutcome, readBrowser, readJsonResponse } from '@/lib/oauth/assessment/outcomes';
import {
  type AuthorizeOptions,
  type ClientOptions,
  type CodeGrant,
  type Fields,
  fill,
} from '@/lib/oauth/assessment/requests';
import { isPromptPage, isSamePage, readPage, type ShownPage } from '@/lib/oauth/assessment/shown-page';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { TargetSession } from '@/lib/oauth/assessment/target-session';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Seconds } from '@/lib/units';

/** Sends authorization requests: by redirect, pushed, or through a person's browser. */
export class AuthorizationRequests extends TargetSession {
  /** Sends a valid authorization request with PKCE and state, changed by the fields. */
  async authorize(label: string, fields: Fields = {}, options: AuthorizeOptions = {}): Promise<AuthorizationOutcome> {
    const verifier = this.generateRandomText();
    const parameters = this.buildAuthorizationParameters(fields, options.client, verifier);
    return this.authorizeWith(label, parameters, verifier, options);
  }

  /** Sends an authorization request with exactly these parameters. It is pushed if the server requires that. */
  async authorizeWith(
    label: string,
    parameters: URLSearchParams,
    verifier = '',
    options: AuthorizeOptions = {},
  ): Promise<AuthorizationOutcome> {
    const outcome = await this.#authorizeWith(label, parameters, verifier, options);
    if (outcome.kind === 'granted') this.sender.recordSuccess(outcome.exchange, 'authorization');
    return outcome;
  }

  async #authorizeWith(
    label: string,
    parameters: URLSearchParams,
    verifier: string,
    options: AuthorizeOptions,
  ): Promise<AuthorizationOutcome> {
    const { capabilities } = this.target;
    const client = options.client ?? this.requireClient();
    const endpoint = await this.requireEndpoint('authorization_endpoint');
    const redirectUri = parameters.get('redirect_uri') ?? client.redirectUri;
    const sent = await this.#prepareParameters(label, parameters, options);
    const isDirect = capabilities.directAuthorization === true && options.anonymous !== true;
    if (!(sent instanceof URLSearchParams))
      return isDirect ? readJsonResponse(sent, verifier) : readBrowser(sent, redirectUri, verifier);
    if (isDirect)
      return readJsonResponse(await this.send(label, endpoint, { method: 'POST', body: sent }, options), verifier);
    const { byPost = false } = options;
    const address = byPost ? endpoint : appendToAddress(endpoint, sent);
    const anonymous = options.anonymous === true || capabilities.visit !== undefined || this.target.cookie === '';
    const session = anonymous
      ? new BrowserSession(endpoint)
      : this.sender.getSharedSession(endpoint, this.target.cookie);
    const send = (what: string, url: string, init: RequestInit) => this.send(what, url, init, options);
    const following = {
      redirectUri,
      clients: this.listClients().map((known) => known.redirectUri),
      agree: !anonymous && options.withoutAgreeing !== true,
    };
    const exchange = byPost
      ? await session.submit(send, label, { action: address, body: sent }, following)
      : await session.open(send, label, address, following);
    const outcome = readBrowser(exchange, redirectUri, verifier);
    const isOurs = redirectUri === client.redirectUri && !byPost;
    if (capabilities.visit === undefined || options.anonymous || !isOurs) return outcome;
    if (outcome.kind !== 'page' || !this.sender.canVisit(outcome.page, options.isValid)) return outcome;
    const purpose = this.sender.isFirstVisit(client.id)
      ? `Sign in, and agree to what ${client.id} asks for`
      : `${this.purpose}: agree if a page asks again, otherwise there is nothing to do`;
    const back = await capabilities.visit({ url: address, purpose, redirectUri });
    if (back === null) this.sender.recordMissingReturn(outcome.page);
    return back === null ? outcome : readBrowser(this.sender.recordVisit(label, address, back), redirectUri, verifier);
  }

  /**
   * Returns the parameters for the authorization endpoint. They are pushed first if the server requires that. If the
   * pushed request was refused, returns that answer instead (RFC 9126 section 2.3).
   */
  async #prepareParameters(
    label: string,
    parameters: URLSearchParams,
    { direct = false, pushed: isPushed = false, anonymous: _, ...options }: AuthorizeOptions = {},
  ): Promise<URLSearchParams | Exchange> {
    if (parameters.has('request_uri') || direct || !(isPushed || (await this.isPushRequired()))) return parameters;
    const pushed = await this.push(`${label}, pushed`, parameters, options);
    const { request_uri } = parseResponseJson(pushed);
    if (typeof request_uri !== 'string') return pushed;
    const client_id = parameters.get('client_id') ?? this.requireClient().id;
    return new URLSearchParams({ ...this.target.parameters, client_id, request_uri });
  }

  /** Returns whether the server accepts only pushed authorization requests. */
  async isPushRequired(): Promise<boolean> {
    return this.demands.pushes || (await this.fetchServerMetadata()).require_pushed_authorization_requests === true;
  }

  /** Pushes the parameters of an authorization request. The client is authenticated unless `anonymous` is set. */
  async push(
    label: string,
    parameters: URLSearchParams,
    options: ClientOptions & { anonymous?: boolean } = {},
  ): Promise<Exchange> {
    const { client = this.requireClient(), anonymous, ...others } = options;
    const endpoint = await this.requireEndpoint('pushed_authorization_request_endpoint', client);
    const { fields, headers, certificate }: Credentials = anonymous
      ? identifyClient(client)
      : await this.createClientCredentials(client);
    const body = new URLSearchParams(parameters);
    for (const [name, value] of fill(fields)) if (name !== 'client_id' || !body.has(name)) body.set(name, value);
    return this.send(
      label,
      endpoint,
      { method: 'POST', body },
      { ...others, certificate, headers: { ...headers, ...others.headers } },
    );
  }

  /**
   * Opens the page that asks for consent or a login, and prepares to post its form. Text fields get invalid values.
   * With `anonymous` there is no session.
   * @throws CannotProbe not_applicable if no such page is shown
   */
  async openPromptPage(fields: Fields, formOf: (page: ShownPage) => FilledForm | null, { anonymous = false } = {}) {
    const endpoint = await this.requireEndpoint('authorization_endpoint');
    const { cookie } = this.target;
    const session =
      anonymous || cookie === '' ? new BrowserSession(endpoint) : this.sender.getSharedSession(endpoint, cookie);
    const parameters = this.buildAuthorizationParameters(fields);
    const sent = await this.#prepareParameters('Open the page that asks', parameters);
    if (!(sent instanceof URLSearchParams))
      throw new CannotProbe('inconclusive', 'The server does not take the request.');
    const url = appendToAddress(endpoint, sent);
    const options = { redirectUri: this.requireClient().redirectUri, agree: false };
    const send = (label: string, address: string, init: RequestInit) => this.send(label, address, init);
    const sendForeign = (label: string, address: string, init: RequestInit) =>
      this.send(label, address, init, init.method === 'POST' ? { headers: { origin: FOREIGN_ORIGIN } } : {});
    const exchange = await session.open(send, 'Open the page that asks', url, options);
    const form = formOf(readPage(exchange));
    if (form === null) throw new CannotProbe('not_applicable', 'The server shows no page with a form to post.');
    this.sender.recordSuccess(exchange, 'authorization');
    return {
      exchange,
      form,
      parameters,
      submit: (label: string) => session.submit(send, label, form, null),
      complete: (label: string) => session.submit(send, label, form, options),
      /** Submits another form, as a page of another site does. */
      completeForeign: (label: string, other: FilledForm) => session.submit(sendForeign, label, other, options),
    };
  }

  /** Opens an address in the signed-in browser. It follows redirects within the site, and submits no form. */
  openSignedIn(label: string, url: string): Promise<Exchange> {
    const send = (what: string, address: string, init: RequestInit) => this.send(what, address, init);
    const { redirectUri } = this.requireClient();
    return this.sender.getSharedSession(url, this.target.cookie).open(send, label, url, { redirectUri, agree: false });
  }

  /**
   * Sends a valid request. Refusals of other requests are compared with its result.
   * @throws CannotProbe inconclusive if it is not accepted, because a refusal would prove nothing then
   */
  async requireAccepted(options: AuthorizeOptions = {}): Promise<AcceptedRequest> {
    const anonymous = options.anonymous === true || this.target.capabilities.visit !== undefined;
    return this.requireOutcome(await this.authorize('A valid request', {}, { ...options, anonymous }));
  }

  /** Returns the outcome of a valid request. @throws CannotProbe inconclusive if it was not accepted */
  async requireOutcome(outcome: AuthorizationOutcome): Promise<AcceptedRequest> {
    const why = explainRefusal(outcome);
    if (why === null) {
      this.sender.recordSuccess(outcome.exchange, 'authorization');
      return { outcome, ...(await this.#sampleRefusals()) };
    }
    throw new CannotProbe('inconclusive', `A valid request is not accepted either: ${why}.`);
  }

  /** Samples the answers to a client that does not exist, with the session if no person is needed for it. */
  #sampleRefusals(): Promise<Omit<AcceptedRequest, 'outcome'>> {
    return this.runOnce('refusals', async () => {
      const ask = (label: string, fields: Fields, anonymous: boolean) => this.authorize(label, fields, { anonymous });
      const invented = { client_id: this.generateRandomText(12) };
      const { exchange } = await ask('An invented client', invented, true);
      const isBare403 = exchange.response.status === 403 && explainWall(exchange) !== null;
      const bare403 = isBare403 ? exchange.response.body : null;
      const { capabilities, cookie } = this.target;
      const noSample = { bare403, refusal: null, isRefusedByScript: false };
      if (capabilities.directAuthorization === true) return noSample;
      const hasSession = capabilities.visit === undefined && cookie !== '';
      const outcome = await ask('The same of an invented client', invented, !hasSession);
      if (outcome.kind !== 'page' || explainWall(outcome.exchange) !== null || isPromptPage(outcome.page))
        return noSample;
      // A page that asks a person may look the same, because a script makes what it shows.
      const asking = await ask('A valid request, without a session', {}, true);
      const isAlike = asking.kind === 'page' && isSamePage(asking.page, outcome.page);
      const isSame = isAlike && asking.page.scriptText === outcome.page.scriptText;
      return { bare403, refusal: isSame ? null : outcome.page, isRefusedByScript: isAlike };
    });
  }

  /** Builds the parameters of a valid authorization request, with changes. */
  buildAuthorizationParameters(
    fields: Fields = {},
    client: TargetClient = this.requireClient(),
    verifier = this.generateRandomText(),
  ): URLSearchParams {
    const isOpenId = this.target.scope.split(' ').includes('openid');
    return fill({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      scope: this.target.scope || null,
      state: this.generateRandomText(12),
      nonce: isOpenId ? this.generateRandomText(12) : null,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...this.target.parameters,
      ...this.demands.fields,
      ...fields,
    });
  }

  /** Requests a code. @throws CannotProbe inconclusive if none is issued */
  async requestCode(fields: Fields = {}, options: ClientOptions = {}): Promise<CodeGrant> {
    const client = options.client ?? this.requireClient();
    const outcome = await this.authorize('Ask for a code', fields, { ...options, client, isValid: true });
    const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
    if (outcome.kind === 'granted' && code !== undefined) {
      this.sender.collect('code', code);
      const { resource = this.target.parameters.resource } = fields;
      return { code, verifier: outcome.verifier, lifetime: outcome.lifetime, client, resource };
    }
    const why = explainRefusal(outcome);
    if (outcome.kind === 'page' && why === null) {
      throw new CannotProbe('inconclusive', 'The server shows a page: a signed-in session is needed.');
    }
    throw new CannotProbe('inconclusive', `The server gave no code${why === null ? '' : `: ${why}`}.`);
  }

  /** Returns the code requested at the start. It stays unused until the end, when its lifetime is tested. */
  getReservedCode(): Promise<{ grant: CodeGrant; askedAt: Seconds }> {
    return this.runOnce('kept code', async () => ({ grant: await this.requestCode(), askedAt: this.age() }));
  }
}

const FOREIGN_ORIGIN = 'https://unregistered.example';

/** Appends parameters to the query of an address. */
function appendToAddress(address: string, parameters: URLSearchParams): string {
  const url = new URL(address);
  for (const [name, value] of parameters) url.searchParams.append(name, value);
  return url.href;
}
