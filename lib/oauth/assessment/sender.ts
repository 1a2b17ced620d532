import { once } from 'node:events';
import { FORM_POST_MARK } from '@/lib/contract/callback';
import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import type { ClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import { Demands } from '@/lib/oauth/assessment/demands';
import type { Redaction } from '@/lib/oauth/assessment/evidence-secrets';
import { type Exchange, findResponseHeader, recordExchange } from '@/lib/oauth/assessment/exchange';
import { OwnAnswers } from '@/lib/oauth/assessment/own-answers';
import { isMadeByScript, isPromptPage, type ShownPage } from '@/lib/oauth/assessment/shown-page';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { isConnectionRefusal } from '@/lib/oauth/assessment/tls-handshake';
import { CannotProbe, ConnectionRefusal } from '@/lib/oauth/assessment/verdict';
import { ALL_ALIKE, WallWatch } from '@/lib/oauth/assessment/wall';
import { escapeMarkup } from '@/lib/oauth/report/escape-markup';
import type { Millis, Seconds } from '@/lib/units';

/** External services of an assessment. */
export interface AssessmentWorld {
  /** Monotonic milliseconds. */
  clock: () => Millis;
  random: (length: number) => Uint8Array;
  sleep: (milliseconds: number) => Promise<void>;
  /** Aborts requests and waits. */
  signal?: AbortSignal;
}

/** Longest `Retry-After` that is respected, and maximum time that an assessment spends on them, in milliseconds. */
const LONGEST_RETRY_AFTER = 60_000;
const ALL_RETRY_AFTER = 180_000;

/** A valid request that succeeded: at the authorization endpoint, the token endpoint or the protected resource. */
export type Success = 'authorization' | 'token' | 'access';

/** State that the probes of one assessment share: one browser, one pace, and earlier findings. */
export class SharedState {
  readonly findings = new Map<string, { value: Promise<unknown>; exchanges: Exchange[] }>();
  /** Codes and tokens seen so far, by kind. Their randomness is judged at the end. */
  readonly collected = new Map<string, Set<string>>();
  readonly startedAt: Millis;
  /** Exchanges that show a success. */
  readonly successes = new WeakMap<Exchange, Success>();
  browser: BrowserSession | undefined;
  /** Earliest time of the next request, on the clock. */
  nextAt = 0;
  /** Time spent so far on waits that the server asked for. */
  waited: Millis = 0;
  readonly walls = new WallWatch();
  readonly ownAnswers = new OwnAnswers();
  /** Clients for which a person's browser has visited the server. */
  readonly visitedFor = new Set<string>();
  /** Method, headers and body of requests to the resource. */
  resourceCall: RequestInit & { method: string } = { method: 'GET' };
  hasTriedPost = false;
  readonly demands = new Demands();
  /** Certificates that access tokens were issued to, by the token. */
  readonly certificates = new Map<string, ClientCertificate>();
  /** True if a person's browser did not return from a page whose form is made by a script. */
  staysAtScripts = false;

  constructor(
    readonly target: AssessmentTarget,
    readonly world: AssessmentWorld,
    /** Secrets that must not leave the server with the evidence. */
    readonly secrets: Redaction,
  ) {
    this.startedAt = world.clock();
  }
}

/** Sends the requests of one control, at the pace of the assessment, and keeps each as evidence. */
export class Sender {
  readonly exchanges: Exchange[] = [];

  constructor(private readonly shared: SharedState) {}

  generateRandomBytes(length: number): Uint8Array {
    return this.shared.world.random(length);
  }

  epochSeconds(): number {
    return Math.floor(this.shared.target.now() / 1000);
  }

  /** Seconds since the assessment began. */
  age(): Seconds {
    return (this.shared.world.clock() - this.shared.startedAt) / 1000;
  }

  /** Returns the browser that stays signed in during the whole assessment. */
  getSharedSession(url: string, cookie: string): BrowserSession {
    this.shared.browser ??= new BrowserSession(url, cookie);
    return this.shared.browser;
  }

  /** Stores a value that must be unguessable. */
  collect(kind: string, value: string): void {
    const { collected } = this.shared;
    collected.set(kind, (collected.get(kind) ?? new Set()).add(value));
  }

  /** Returns the stored values of a kind. */
  listCollectedValues(kind: string): string[] {
    return [...(this.shared.collected.get(kind) ?? [])];
  }

  /**
   * Sends a request and records it. If the server is overloaded (429, 503), all requests of the assessment wait for its
   * `Retry-After`, once.
   * @param certificate what the client presents in the TLS handshake
   * @throws CannotProbe inconclusive if the target cannot be reached, or everything is answered alike there
   */
  async send(label: string, url: string, init: RequestInit, certificate?: ClientCertificate): Promise<Exchange> {
    const first = await this.#sendOnce(label, url, init, certificate);
    const exchange = this.#delayNextRequest(first) ? await this.#sendOnce(label, url, init, certificate) : first;
    if (this.shared.walls.isWallAnswer(exchange)) throw new CannotProbe('inconclusive', ALL_ALIKE);
    return exchange;
  }

  /** Puts the next request off for the time that the answer demands. @returns whether it can be sent again then */
  #delayNextRequest(exchange: Exchange): boolean {
    const { world, target } = this.shared;
    const { status } = exchange.response;
    const delay = status === 429 || status === 503 ? readRetryAfter(exchange, target.now()) : null;
    if (delay === null || delay > LONGEST_RETRY_AFTER) return false;
    const from = Math.max(world.clock(), this.shared.nextAt);
    const until = Math.max(from, world.clock() + delay);
    this.shared.waited += until - from;
    if (this.shared.waited > ALL_RETRY_AFTER) return false;
    this.shared.nextAt = until;
    return true;
  }

  async #sendOnce(label: string, url: string, init: RequestInit, certificate?: ClientCertificate): Promise<Exchange> {
    const { target, world, secrets } = this.shared;
    await this.#keepPace();
    if (world.signal?.aborted) throw new CannotProbe('inconclusive', 'The assessment was stopped.');
    let request: Request;
    try {
      request = new Request(url, { ...init, redirect: 'manual', signal: world.signal });
    } catch {
      throw new CannotProbe('inconclusive', `The request "${label}" cannot be sent: the address is not usable.`);
    }
    try {
      const exchange = await recordExchange(label, request, {
        transport: (sent) => target.transport(sent, certificate),
        clock: world.clock,
        secrets,
      });
      if (exchange.response.status === 403) exchange.isOwn = this.shared.ownAnswers.isOwn(exchange);
      this.exchanges.push(exchange);
      return exchange;
    } catch (error) {
      const Kind = isConnectionRefusal(error) ? ConnectionRefusal : CannotProbe;
      throw new Kind('inconclusive', `The target could not be reached: ${explainError(error)}`);
    }
  }

  async #keepPace(): Promise<void> {
    const { target, world } = this.shared;
    const now = world.clock();
    const at = Math.max(now, this.shared.nextAt);
    if (target.requestsPerSecond !== null) this.shared.nextAt = at + 1000 / target.requestsPerSecond;
    if (at > now) await this.#sleep(at - now);
  }

  /** Waits, unless the assessment is aborted. */
  pause(seconds: Seconds): Promise<void> {
    return this.#sleep(seconds * 1000);
  }

  /** Sleeps, unless the assessment is aborted. */
  async #sleep(milliseconds: Millis): Promise<void> {
    const { sleep, signal } = this.shared.world;
    if (signal === undefined) return sleep(milliseconds);
    if (signal.aborted) return;
    const stop = new AbortController();
    const stopped = once(signal, 'abort', { signal: stop.signal }).catch(() => undefined);
    await Promise.race([sleep(milliseconds), stopped]);
    stop.abort();
  }

  /** Certificates that access tokens were issued to, by the token. */
  get certificates(): Map<string, ClientCertificate> {
    return this.shared.certificates;
  }

  get demands(): Demands {
    return this.shared.demands;
  }

  /** Records that an exchange shows a success. */
  recordSuccess(exchange: Exchange, success: Success): void {
    this.shared.successes.set(exchange, success);
    this.shared.ownAnswers.recordAnswer(exchange);
  }

  /** Returns whether an exchange of this control shows a success. */
  hasSucceeded(success: Success): boolean {
    return this.exchanges.some((exchange) => this.shared.successes.get(exchange) === success);
  }

  /** Returns whether the resource may be requested by POST, to see if it requires that. True once in an assessment. */
  shouldTryPost(): boolean {
    const isFirst = !this.shared.hasTriedPost;
    this.shared.hasTriedPost = true;
    return isFirst;
  }

  get resourceCall(): SharedState['resourceCall'] {
    return this.shared.resourceCall;
  }

  set resourceCall(call) {
    this.shared.resourceCall = call;
  }

  /** Returns whether this is the first visit of a person's browser for a client. */
  isFirstVisit(client: string): boolean {
    const { visitedFor } = this.shared;
    return visitedFor.size < visitedFor.add(client).size;
  }

  /**
   * Returns whether a person's browser may open a page. If a script makes its form, the page can contain anything. Once
   * a browser did not return from such a page, only valid requests may open one.
   */
  canVisit(page: ShownPage, isValid = false): boolean {
    return isPromptPage(page) || (isMadeByScript(page) && (isValid || !this.shared.staysAtScripts));
  }

  /** Records that a person's browser did not return from a page. */
  recordMissingReturn(page: ShownPage): void {
    this.shared.staysAtScripts ||= !isPromptPage(page);
  }

  /** Records a visit by a person's browser: the address it opened, and the address it returned to. */
  recordVisit(label: string, url: string, back: string): Exchange {
    const { secrets, world } = this.shared;
    const request = { method: 'GET', url, headers: [], body: '' };
    const redirect = { status: 302, headers: [['location', back]] as [string, string][], body: '' };
    secrets.learnFromRequest(request);
    secrets.learnFromResponse(redirect);
    const response = back.endsWith(FORM_POST_MARK)
      ? { status: 200, headers: HTML, body: buildFormPostPage(back) }
      : redirect;
    const exchange = { label, request, response, startedAt: world.clock(), durationMs: 0 };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Runs `find` once for all probes of an assessment. Each gets its exchanges as evidence. */
  async runOnce<T>(key: string, find: () => Promise<T>): Promise<T> {
    const { findings } = this.shared;
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

  forget(key: string): void {
    this.shared.findings.delete(key);
  }

  /** Waits until this many seconds after the start. @throws CannotProbe inconclusive if that exceeds the patience */
  async waitUntil(seconds: Seconds, patience: Seconds): Promise<void> {
    const { world, startedAt } = this.shared;
    const left = startedAt + seconds * 1000 - world.clock();
    if (left <= 0) return;
    if (seconds > patience) {
      throw new CannotProbe(
        'inconclusive',
        `To see it takes ${Math.ceil(seconds)} seconds; the assessment may wait ${patience}.`,
      );
    }
    await this.#sleep(left);
  }
}

/**
 * Returns how long an answer asks to wait: in seconds, or until a date (RFC 9110 section 10.2.3). Returns null if it
 * does not ask.
 */
function readRetryAfter(exchange: Exchange, now: Millis): Millis | null {
  const value = findResponseHeader(exchange, 'retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Describes an error in words. A refused connection to several addresses has no message, so its parts are used. */
function explainError(error: unknown): string {
  if (error instanceof AggregateError) return explainError(error.errors[0]);
  return error instanceof Error && error.message !== '' ? error.message : 'an unknown fault.';
}

const HTML: [string, string][] = [['content-type', 'text/html']];

/** Reconstructs the page that posted an authorization response, from its address: a form with hidden fields. */
function buildFormPostPage(back: string): string {
  const { origin, pathname, searchParams } = new URL(back);
  const fields = [...searchParams].map(
    ([name, value]) => `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(value)}">`,
  );
  return `<form method="post" action="${escapeMarkup(origin + pathname)}">${fields.join('')}</form>`;
}
