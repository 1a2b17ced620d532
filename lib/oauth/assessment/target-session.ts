import { base64url } from 'jose';
import { type AssertionOptions, type Credentials, createCredentials } from '@/lib/oauth/assessment/client-credentials';
import type { Demands } from '@/lib/oauth/assessment/demands';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { SendOptions } from '@/lib/oauth/assessment/requests';
import type { Sender, Success } from '@/lib/oauth/assessment/sender';
import {
  explainNoMetadata,
  findSameOriginRedirect,
  listMetadataAddresses,
  METADATA_LABEL,
  MOST_REDIRECTS,
} from '@/lib/oauth/assessment/server-metadata';
import { type AssessmentTarget, isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Seconds } from '@/lib/units';

/** Requests of one control to a target. Exchanges are kept as evidence, and findings are shared. */
export class TargetSession {
  constructor(
    readonly target: AssessmentTarget,
    protected readonly sender: Sender,
    /** The control that is judged, for a person who is asked to help. */
    protected readonly purpose = 'The set-up check',
  ) {}

  /** All exchanges of this control. */
  get exchanges(): readonly Exchange[] {
    return this.sender.exchanges;
  }

  /** Drops the exchanges of this control from a position on, because they repeat earlier ones. */
  dropEvidence(from: number): void {
    this.sender.exchanges.length = from;
  }

  /** Returns whether a valid request succeeded in front of this control. Results of `runOnce` count. */
  hasSucceeded(success: Success): boolean {
    return this.sender.hasSucceeded(success);
  }

  /** Records that an exchange shows a success. */
  recordSuccess(exchange: Exchange, success: Success): void {
    this.sender.recordSuccess(exchange, success);
  }

  /** Returns unpredictable base64url text. */
  generateRandomText(bytes = 32): string {
    return base64url.encode(this.sender.generateRandomBytes(bytes));
  }

  /** Returns the time at the target in Unix seconds, as far as it is known. */
  now(): number {
    return this.sender.epochSeconds();
  }

  /** Returns the seconds since the assessment began. */
  age(): Seconds {
    return this.sender.age();
  }

  /** Sends a request and records it. @throws CannotProbe inconclusive if the target cannot be reached */
  async send(label: string, url: string, init: RequestInit = {}, options: SendOptions = {}): Promise<Exchange> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    if (options.without !== undefined) this.target.capabilities.relax?.(headers, options.without);
    const { certificate } = options;
    const isPresented = certificate !== undefined && (await this.#isEndpoint(url));
    return this.sender.send(label, url, { ...init, headers }, isPresented ? certificate : undefined);
  }

  /** Returns whether an address is an endpoint of the server's metadata, or the resource: no other gets a certificate. */
  async #isEndpoint(url: string): Promise<boolean> {
    const { mtls_endpoint_aliases: aliases, ...metadata } = await this.fetchServerMetadata();
    const named = Object.entries(metadata).flatMap(([name, address]) => (name.endsWith('_endpoint') ? [address] : []));
    const addresses = [...named, ...Object.values(readObject(aliases)), this.target.resource?.url];
    const all = addresses.filter((address) => typeof address === 'string');
    const isAt = (address: string) => URL.canParse(address) && removeQuery(address) === removeQuery(url);
    return all.some(isAt);
  }

  /** Reads a published document. Redirects within its origin are followed, as clients do. */
  async readDocument(label: string, url: string): Promise<Exchange> {
    let address = url;
    let exchange = await this.send(label, address);
    for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
      const next = findSameOriginRedirect(exchange, address);
      if (next === null) break;
      address = next;
      exchange = await this.send(label, address);
    }
    return exchange;
  }

  /** Runs `find` once for all probes of an assessment. */
  runOnce<T>(key: string, find: () => Promise<T>): Promise<T> {
    return this.sender.runOnce(key, find);
  }

  /** Drops the cached result of `runOnce`. */
  forget(key: string): void {
    this.sender.forget(key);
  }

  /**
   * Waits until this many seconds after the start of the assessment. @throws CannotProbe if that exceeds the patience
   */
  waitUntil(seconds: number): Promise<void> {
    return this.sender.waitUntil(seconds, this.target.patience);
  }

  /** Waits some seconds, unless the assessment is aborted. */
  pause(seconds: Seconds): Promise<void> {
    return this.sender.pause(seconds);
  }

  /** Returns the values of a kind that the assessment has seen. */
  listCollectedValues(kind: string): string[] {
    return this.sender.listCollectedValues(kind);
  }

  /** Reads the server's metadata (RFC 8414, else OpenID Connect Discovery), with the endpoints entered by hand. */
  fetchServerMetadata(): Promise<Record<string, unknown>> {
    return this.runOnce('metadata', async () => {
      const { issuer, endpoints, isFoundByResource } = this.target;
      const isByHand = Object.keys(endpoints).length > 0;
      if (issuer === '' && isByHand) return { ...endpoints };
      if (issuer === '') {
        const why = isFoundByResource ? 'the metadata of the resource names none' : 'nothing says where it is';
        throw new CannotProbe('inconclusive', `The authorization server is not known: ${why}.`);
      }
      const problems: string[] = [];
      for (const address of listMetadataAddresses(issuer)) {
        const exchange = await this.readDocument(METADATA_LABEL, address);
        const problem = explainNoMetadata(exchange);
        if (problem === null) return { ...parseResponseJson(exchange), ...endpoints };
        problems.push(`${new URL(address).pathname} ${problem}`);
      }
      if (isByHand) return { ...endpoints };
      throw new CannotProbe('inconclusive', `The server publishes no metadata: ${problems.join('; ')}.`);
    });
  }

  /**
   * Returns the address of an endpoint, for a client with a certificate that of its alias (RFC 8705 section 5).
   * @throws CannotProbe not_applicable if the metadata has none
   */
  async requireEndpoint(name: string, client?: TargetClient): Promise<string> {
    const { mtls_endpoint_aliases: aliases, ...metadata } = await this.fetchServerMetadata();
    const alias = client?.certificate === undefined ? undefined : readObject(aliases)[name];
    const value = alias ?? metadata[name];
    if (typeof value === 'string' && URL.canParse(value)) return value;
    throw new CannotProbe('not_applicable', `The server's metadata names no ${name}.`);
  }

  /** Returns the first client. @throws CannotProbe inconclusive if there is none */
  requireClient(): TargetClient {
    if (this.target.client !== null) return this.target.client;
    throw new CannotProbe('inconclusive', 'A client is needed.');
  }

  /** Returns the first client, or an unregistered one, for requests that need no registration. */
  chooseAnyClient(): TargetClient {
    const redirectUri = 'https://unregistered.example/landing';
    return this.target.client ?? { id: 'no-such-client', redirectUri, authentication: { method: 'none' } };
  }

  /** Returns the second client. @throws CannotProbe inconclusive if there is none */
  requireOtherClient(): TargetClient {
    if (this.target.otherClient !== null) return this.target.otherClient;
    throw new CannotProbe('inconclusive', 'A second client is needed.');
  }

  /** Lists all clients of the target. */
  listClients(): TargetClient[] {
    const { client, otherClient, nativeClient, keyClient = null } = this.target;
    return [client, otherClient, nativeClient, keyClient].filter((candidate) => candidate !== null);
  }

  /** Returns a client that authenticates. @throws CannotProbe inconclusive if there is none */
  requireConfidentialClient(): TargetClient {
    const found = this.listClients().find(isConfidential);
    if (found !== undefined) return found;
    throw new CannotProbe('inconclusive', 'A confidential client is needed.');
  }

  /** Returns the target's scope without one value. It may become empty. */
  omitFromScope(value: string): string {
    const values = this.target.scope.split(' ');
    return values.filter((scope) => scope !== value).join(' ');
  }

  /** Requirements of the server for every flow, as detected so far. */
  get demands(): Demands {
    return this.sender.demands;
  }

  /** Creates a client's credentials, by its own method. */
  async createClientCredentials(client: TargetClient = this.requireClient()): Promise<Credentials> {
    const credentials = await createCredentials(client, this.createAssertionOptions());
    if (!this.demands.emptySecret || isConfidential(client)) return credentials;
    return { ...credentials, fields: { ...credentials.fields, client_secret: '' } };
  }

  /** Creates the options of a new client assertion: the present time, and an id that was not used. */
  createAssertionOptions(): AssertionOptions {
    return { audience: this.assertionAudience, now: this.now(), jti: this.generateRandomText(16) };
  }

  /**
   * Audience of client assertions: the issuer, unless the server accepts only the token endpoint (RFC 7523 section 3).
   */
  get assertionAudience(): string {
    const { issuer, endpoints } = this.target;
    return this.demands.assertionAudience ?? (issuer || (endpoints.token_endpoint ?? ''));
  }

  /** Creates a proof of possession (RFC 9449), if the server requires one. */
  async createProofHeaders(method: string, url: string, token?: string): Promise<Record<string, string>> {
    const { dpop } = this.demands;
    if (dpop === null) return {};
    return { dpop: await dpop.createProof({ method, url, jti: this.generateRandomText(16), now: this.now(), token }) };
  }
}

const readObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const removeQuery = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};
