import { AuthorizationRequests } from '@/lib/oauth/assessment/authorization-requests';
import { resolveCredentials } from '@/lib/oauth/assessment/client-credentials';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { readTokens, type TokenOutcome, type Tokens } from '@/lib/oauth/assessment/outcomes';
import {
  type ClientOptions,
  type CodeGrant,
  type Fields,
  fill,
  type TokenOptions,
} from '@/lib/oauth/assessment/requests';
import { CannotProbe, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import type { Seconds } from '@/lib/units';

/** Sends token requests, and runs whole flows. */
export class TokenRequests extends AuthorizationRequests {
  /** Redeems a code, as the client that requested it. */
  redeem(label: string, grant: CodeGrant, fields: Fields = {}, options: TokenOptions = {}): Promise<TokenOutcome> {
    const client = grant.client ?? this.requireClient();
    const defaults = {
      grant_type: 'authorization_code',
      code: grant.code,
      redirect_uri: client.redirectUri,
      code_verifier: grant.verifier,
      resource: grant.resource ?? null,
    };
    return this.sendTokenRequest(label, { ...defaults, ...fields }, { client, ...options });
  }

  /** Uses a refresh token. */
  refresh(label: string, token: string, fields: Fields = {}, options: TokenOptions = {}): Promise<TokenOutcome> {
    const { resource = null } = this.target.parameters;
    return this.sendTokenRequest(
      label,
      { grant_type: 'refresh_token', refresh_token: token, resource, ...fields },
      options,
    );
  }

  /**
   * Sends a token request. It is authenticated as the client unless the options say otherwise. It has a proof of
   * possession if the server requires one.
   */
  async sendTokenRequest(label: string, fields: Fields, options: TokenOptions = {}): Promise<TokenOutcome> {
    let outcome = await this.#requestTokens(label, fields, options);
    const hasOwn = options.withoutProof === true || options.headers?.dpop !== undefined;
    for (let again = 0; again < 2 && !hasOwn && (await this.demands.recordAnswer(outcome.exchange)); again++)
      outcome = await this.#requestTokens(label, fields, options);
    if (outcome.kind === 'issued') {
      this.sender.recordSuccess(outcome.exchange, 'token');
      const { accessToken, refreshToken } = outcome.tokens;
      this.sender.collect('access token', accessToken);
      if (refreshToken !== null) this.sender.collect('refresh token', refreshToken);
    }
    return outcome;
  }

  async #requestTokens(label: string, fields: Fields, options: TokenOptions): Promise<TokenOutcome> {
    const {
      credentials: source = () => this.createClientCredentials(options.client),
      query = '',
      twice,
      byGet = false,
    } = options;
    const credentials = await resolveCredentials(source);
    const client = options.client ?? this.target.client ?? undefined;
    const url = (await this.requireEndpoint('token_endpoint', client)) + query;
    const body = fill({ ...credentials.fields, ...fields });
    if (twice !== undefined) body.append(twice, body.get(twice) ?? '');
    const method = byGet ? 'GET' : 'POST';
    const proof = options.withoutProof === true ? {} : await this.createProofHeaders(method, url);
    const headers = { accept: 'application/json', ...credentials.headers, ...proof, ...options.headers };
    const address = new URL(url);
    if (byGet) for (const [name, value] of body) address.searchParams.append(name, value);
    const init = byGet ? { method } : { method, body };
    const { certificate } = credentials;
    const outcome = readTokens(await this.send(label, address.href, init, { ...options, headers, certificate }));
    if (outcome.kind === 'issued' && certificate !== undefined)
      this.sender.certificates.set(outcome.tokens.accessToken, certificate);
    return outcome;
  }

  /** Runs a whole flow. @throws CannotProbe inconclusive if it does not complete */
  async runCodeFlow(fields: Fields = {}, options: ClientOptions = {}): Promise<Tokens> {
    return this.#redeemForTokens(await this.requestCode(fields, options), options);
  }

  async #redeemForTokens(grant: CodeGrant, options: ClientOptions = {}): Promise<Tokens> {
    const outcome = await this.redeem('Redeem the code', grant, {}, options);
    if (outcome.kind === 'issued') return outcome.tokens;
    const why = outcome.error === null ? '' : `: ${outcome.error}`;
    throw new CannotProbe('inconclusive', `The code was not redeemed${why}.`);
  }

  /**
   * Returns the tokens requested at the start, and the code that was redeemed for them. They stay unused until the end,
   * when their lifetime is tested, and whether the code works again.
   */
  getReservedTokens(): Promise<{ tokens: Tokens; grant: CodeGrant; askedAt: Seconds }> {
    return this.runOnce('kept token', async () => {
      const grant = await this.requestCode();
      return { tokens: await this.#redeemForTokens(grant), grant, askedAt: this.age() };
    });
  }

  /** Requests a code whose redemption gives a refresh token, if the server issues any. */
  async requestRefreshableCode(fields: Fields = {}, options: ClientOptions = {}): Promise<CodeGrant> {
    return this.requestCode({ ...(await this.#findRefreshFields()), ...fields }, options);
  }

  /**
   * Finds the fields of a request for a refresh token. A server may ignore `offline_access` unless the request asks for
   * consent (OpenID Connect Core section 11).
   */
  #findRefreshFields(): Promise<Fields> {
    return this.runOnce('refresh fields', async () => {
      const { scope, cookie, capabilities, parameters } = this.target;
      const isFixed = 'prompt' in parameters || 'prompt' in this.demands.fields || capabilities.visit !== undefined;
      if (isFixed || cookie === '' || !scope.split(' ').includes('offline_access')) return {};
      const isGiven = async (fields: Fields) =>
        typeof (await this.runCodeFlow(fields).catch(ignoreUndecided))?.refreshToken === 'string';
      const consent = { prompt: 'consent' };
      return !(await isGiven({})) && (await isGiven(consent)) ? consent : {};
    });
  }

  /** Returns a refresh token that was used early, and the answer to that use. Null if there is none, or it is refused. */
  getReservedRotation(): Promise<{ old: string; exchange: Exchange } | null> {
    return this.runOnce('kept rotation', async () => {
      const { refreshToken: old } = await this.#redeemForTokens(await this.requestRefreshableCode());
      const refreshed = old === null ? null : await this.refresh('Refresh correctly', old);
      return old === null || refreshed?.kind !== 'issued' ? null : { old, exchange: refreshed.exchange };
    });
  }

  /** Runs a flow that issues a refresh token. @throws CannotProbe not_applicable if the server issues none */
  async runCodeFlowWithRefresh(
    fields: Fields = {},
    options: ClientOptions = {},
  ): Promise<Tokens & { refreshToken: string }> {
    const tokens = await this.#redeemForTokens(await this.requestRefreshableCode(fields, options), options);
    const { refreshToken } = tokens;
    if (refreshToken !== null) return { ...tokens, refreshToken };
    throw new CannotProbe('not_applicable', 'The server gives this client no refresh token.');
  }
}
