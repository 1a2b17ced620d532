import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import type { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import { type Exchange, recordExchange, responseHeader } from '@/lib/oauth/assessment/exchange';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Millis, Seconds } from '@/lib/units';

/** What an assessment needs of the world. */
export interface AssessmentWorld {
  /** Monotonic milliseconds. */
  clock: () => Millis;
  random: (length: number) => Uint8Array;
  sleep: (milliseconds: number) => Promise<void>;
}

/** The longest `Retry-After` that is honoured, in seconds. */
const MAX_RETRY_AFTER = 30;

/** What the probes of one assessment share: one browser, one pace, and what was found out already. */
export class SharedState {
  readonly findings = new Map<string, { value: Promise<unknown>; exchanges: Exchange[] }>();
  /** Codes and tokens that were seen, by kind: what they are made of is judged at the end. */
  readonly collected = new Map<string, Set<string>>();
  readonly startedAt: Millis;
  browser: BrowserSession | undefined;
  /** When the next request may go, on the clock. */
  nextAt = 0;

  constructor(
    readonly target: AssessmentTarget,
    readonly world: AssessmentWorld,
    /** What must not leave the server with the evidence. */
    readonly secrets: EvidenceSecrets,
  ) {
    this.startedAt = world.clock();
  }
}

/** Sends the requests of one control, at the pace of the assessment, and keeps each as evidence. */
export class Sender {
  readonly exchanges: Exchange[] = [];

  constructor(private readonly shared: SharedState) {}

  random(length: number): Uint8Array {
    return this.shared.world.random(length);
  }

  epochSeconds(): number {
    return Math.floor(this.shared.target.now() / 1000);
  }

  /** Seconds since the assessment began. */
  age(): Seconds {
    return (this.shared.world.clock() - this.shared.startedAt) / 1000;
  }

  /** The browser that stays signed in for the whole assessment. */
  session(url: string, cookie: string): BrowserSession {
    this.shared.browser ??= new BrowserSession(url, cookie);
    return this.shared.browser;
  }

  /** Keeps a value that should be unguessable. */
  collect(kind: string, value: string): void {
    const { collected } = this.shared;
    collected.set(kind, (collected.get(kind) ?? new Set()).add(value));
  }

  /** The values of a kind that were seen so far. */
  collected(kind: string): string[] {
    return [...(this.shared.collected.get(kind) ?? [])];
  }

  /**
   * Sends a request and records it. A `Retry-After` of a server that has had enough is waited for, once.
   * @throws CannotProbe inconclusive when the target cannot be reached
   */
  async send(label: string, url: string, init: RequestInit): Promise<Exchange> {
    const exchange = await this.#sendOnce(label, url, init);
    const seconds = Number(responseHeader(exchange, 'retry-after') ?? Number.NaN);
    if (exchange.response.status !== 429 || !(seconds <= MAX_RETRY_AFTER)) return exchange;
    await this.shared.world.sleep(seconds * 1000);
    return this.#sendOnce(label, url, init);
  }

  async #sendOnce(label: string, url: string, init: RequestInit): Promise<Exchange> {
    const { target, world, secrets } = this.shared;
    let request: Request;
    try {
      request = new Request(url, { ...init, redirect: 'manual' });
    } catch {
      throw new CannotProbe('inconclusive', `The request "${label}" cannot be sent: the address is not usable.`);
    }
    await this.#keepPace();
    try {
      const exchange = await recordExchange(label, request, {
        transport: target.transport,
        clock: world.clock,
        secrets,
      });
      this.exchanges.push(exchange);
      return exchange;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown fault';
      throw new CannotProbe('inconclusive', `The target could not be reached: ${reason}`);
    }
  }

  async #keepPace(): Promise<void> {
    const { target, world } = this.shared;
    if (target.requestsPerSecond === null) return;
    const now = world.clock();
    const at = Math.max(now, this.shared.nextAt);
    this.shared.nextAt = at + 1000 / target.requestsPerSecond;
    if (at > now) await world.sleep(at - now);
  }

  /** Writes down what a person's browser did: it went to an address and came back to another. */
  recordVisit(label: string, url: string, back: string): Exchange {
    const { secrets, world } = this.shared;
    const request = { method: 'GET', url, headers: [], body: '' };
    const response = { status: 302, headers: [['location', back]] as [string, string][], body: '' };
    secrets.learnFromRequest(request);
    secrets.learnFromResponse(response);
    const exchange = { label, request, response, startedAt: world.clock(), durationMs: 0 };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Runs `find` once for all probes of an assessment; its exchanges are evidence for each. */
  async once<T>(key: string, find: () => Promise<T>): Promise<T> {
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

  /** Waits until so many seconds after the start. @throws CannotProbe inconclusive when that is more than may be waited */
  async waitUntil(seconds: Seconds, patience: Seconds): Promise<void> {
    const { world, startedAt } = this.shared;
    const left = startedAt + seconds * 1000 - world.clock();
    if (left <= 0) return;
    if (seconds > patience) {
      throw new CannotProbe('inconclusive', `That takes ${seconds} seconds, and only ${patience} may be waited.`);
    }
    await world.sleep(left);
  }
}
