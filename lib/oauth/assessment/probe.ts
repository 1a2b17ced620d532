import { compareAccess, explainWall } from '@/lib/oauth/assessment/comparison';
import { DeviceRequests } from '@/lib/oauth/assessment/device-requests';
import { retryWithNonce } from '@/lib/oauth/assessment/dpop-session';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { isAnswerToPost, MCP_INITIALIZE, WANTS_POST } from '@/lib/oauth/assessment/mcp';
import type { Tokens } from '@/lib/oauth/assessment/outcomes';
import type { PresentOptions } from '@/lib/oauth/assessment/requests';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/**
 * Exchanges requests with a target for one control, including the protected resource. Each exchange is kept as
 * evidence.
 */
export class Probe extends DeviceRequests {
  /**
   * Presents an access token to the protected resource, with a proof of possession if the server requires one.
   * @throws CannotProbe not_applicable if there is no resource
   */
  async presentToken(label: string, token: string, options: PresentOptions = {}) {
    const { resource } = this.target;
    if (resource === null) throw new CannotProbe('not_applicable', 'No protected resource is known.');
    const { dpop } = this.demands;
    const hasOwn = options.withoutToken === true || options.headers?.authorization !== undefined;
    const isProven = dpop !== null && options.withoutProof !== true && !hasOwn;
    const url = new URL(resource.url);
    const certificate = options.withoutCertificate ? undefined : (options.certificate ?? this.#findCertificate(token));
    if (options.inQuery) url.searchParams.set('access_token', token);
    const scheme = isProven ? 'DPoP' : 'Bearer';
    const present = async (what: string, call: RequestInit & { method: string }) => {
      const authorization: Record<string, string> =
        options.inQuery || options.withoutToken ? {} : { authorization: `${scheme} ${token}` };
      const proof = isProven ? await this.createProofHeaders(call.method, resource.url, token) : {};
      const headers = { ...authorization, ...proof, ...options.headers };
      return { exchange: await this.send(what, url.href, call, { ...options, certificate, headers }) };
    };
    const callResource = () => present(label, this.sender.resourceCall);
    let { exchange } = isProven ? await retryWithNonce(dpop, callResource) : await callResource();
    if (WANTS_POST.has(exchange.response.status) && this.sender.shouldTryPost()) {
      const { exchange: posted } = await present(`${label}, to open an MCP session`, MCP_INITIALIZE);
      if (isAnswerToPost(posted.response.status)) {
        this.sender.resourceCall = MCP_INITIALIZE;
        exchange = posted;
      }
    }
    const { status } = exchange.response;
    // Some resources report a refusal only in the body.
    const isError = Boolean(parseResponseJson(exchange).error);
    const accepted = status >= 200 && status < 300 && !isError;
    if (accepted) this.sender.recordSuccess(exchange, 'access');
    return { kind: accepted ? ('opened' as const) : ('refused' as const), accepted, status, exchange };
  }

  /** Returns the certificate that a token was issued to, or else that of the first client. */
  #findCertificate(token: string) {
    return this.sender.certificates.get(token) ?? this.target.client?.certificate;
  }

  /** Method for the resource: GET, or POST once an MCP server has required it. */
  get resourceMethod(): string {
    return this.sender.resourceCall.method;
  }

  /**
   * Returns an access token that the resource currently accepts. Without one, a refusal proves nothing.
   * @throws CannotProbe inconclusive if there is none
   */
  async requireWorkingToken(): Promise<Tokens> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const tokens = await this.runOnce('working token', () => this.runCodeFlow());
      const seen = await this.presentToken('Use a valid token', tokens.accessToken);
      if (seen.accepted) return tokens;
      const compared = compareAccess(seen);
      if (compared.kind === 'undecided')
        throw new CannotProbe('inconclusive', `The resource does not answer: ${compared.why}.`);
      // The resource may require tokens that are bound to a key.
      if ('dpop_signing_alg_values_supported' in (await this.fetchServerMetadata()))
        await this.demands.recordAnswer(seen.exchange);
      this.forget('working token');
    }
    throw new CannotProbe('inconclusive', 'The resource refuses even a valid token.');
  }

  /**
   * Returns why an answer of the resource is unrelated to the token. A bare 403 counts as related if the resource
   * accepts a valid token.
   */
  async explainResourceWall(exchange: Exchange): Promise<string | null> {
    const wall = explainWall(exchange);
    if (wall === null || exchange.response.status !== 403 || this.target.client === null) return wall;
    return this.requireWorkingToken().then(
      () => null,
      () => wall,
    );
  }

  /** Moves the server's clock. @throws CannotProbe inconclusive if it cannot be moved */
  advance(seconds: number): void {
    const { advance } = this.target.capabilities;
    if (advance === undefined) throw new CannotProbe('inconclusive', "The server's clock cannot be moved.");
    this.forget('working token');
    advance(seconds);
  }
}
