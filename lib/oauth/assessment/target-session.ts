import { base64url } from 'jose';
import { type Credentials, credentialsOf } from '@/lib/oauth/assessment/client-credentials';
import type { Demands } from '@/lib/oauth/assessment/demands';
import { type Exchange, responseJson } from '@/lib/oauth/assessment/exchange';
import type { SendOptions } from '@/lib/oauth/assessment/requests';
import type { Sender } from '@/lib/oauth/assessment/sender';
import {
  MOST_REDIRECTS,
  metadataAddresses,
  redirectWithin,
  whyNoMetadata,
} from '@/lib/oauth/assessment/server-metadata';
import { type AssessmentTarget, isConfidential, type TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Seconds } from '@/lib/units';

/** One control's dealings with a target: what it sends is kept as evidence, what was found out is shared. */
export class TargetSession {
  constructor(
    readonly target: AssessmentTarget,
    protected readonly sender: Sender,
    /** What is judged, for a person who is asked to help. */
    protected readonly purpose = 'The set-up check',
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

  /** Seconds since the assessment began. */
  age(): Seconds {
    return this.sender.age();
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

  /** Values of a kind that were seen so far in the assessment. */
  collected(kind: string): string[] {
    return this.sender.collected(kind);
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

  /** The target's scope without one value; empty where that is all of it. */
  scopeWithout(value: string): string {
    const values = this.target.scope.split(' ');
    return values.filter((scope) => scope !== value).join(' ');
  }

  /** What the server turned out to demand of every flow. */
  get demands(): Demands {
    return this.sender.demands;
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

  /** A proof of possession (RFC 9449), where the server demands one. */
  protected async proof(method: string, url: string, token?: string): Promise<Record<string, string>> {
    const { dpop } = this.demands;
    if (dpop === null) return {};
    return { dpop: await dpop.proof({ method, url, jti: this.randomText(16), now: this.now(), token }) };
  }
}
