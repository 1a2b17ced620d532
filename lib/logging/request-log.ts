import type { Logger } from 'pino';
import { formatAddressSubject, parseAddress } from '@/lib/limiter/address';
import { type LineGate, runInAMinute } from '@/lib/logging/line-gate';
import { redactTokens } from '@/lib/logging/redact-tokens';

/** The log line of an answered request. It must not contain secrets: no query, no header, no body. */
export interface RequestLine {
  requestId: string;
  /** Id of the trace that the request belongs to. */
  traceId?: string | undefined;
  method: string;
  /** Path without query. Tokens in it are redacted. */
  path: string;
  status: number;
  /** Time from the request's arrival to the end of its answer, in milliseconds. */
  duration: number;
  /** The client's address in canonical form. */
  address: string | null;
}

const LONGEST_PATH = 1_024;

/**
 * Most lines per minute, by kind of answer. Refusals are also limited per identity: the address, or the /64 of an IPv6
 * address.
 */
const MOST = { faults: 60, refusals: 600, refusalsOfOne: 5, others: 6_000 };
/** Most identities that are counted separately. */
const MOST_IDENTITIES = 1_000;
const MOST_SUMMARIES = 20;

interface Count {
  written: number;
  withheld: number;
  statuses: Record<string, number>;
}

interface RequestLogOptions {
  logger: Logger;
  /** Counts the lines that are left out. */
  lines: Pick<LineGate, 'withheld'>;
  /** Runs `work` a minute later, without keeping the process alive. */
  later?: (work: () => void) => void;
}

/**
 * Logs answered requests so that a flood cannot fill a disk. It logs only the first few refusals (4xx and 503) of one
 * identity per minute, and a bounded number of lines in total. It sums up the rest when the minute ends. At `debug` it
 * logs every request. A minute begins with the first line after the previous minute ended.
 */
export class RequestLog {
  readonly #logger: Logger;
  readonly #later: (work: () => void) => void;
  #began = false;
  #written = { faults: 0, refusals: 0, others: 0 };
  #identities = new Map<string, Count>();
  #rest: Count = createCount();
  readonly #lines: Pick<LineGate, 'withheld'>;

  constructor({ logger, lines, later = runInAMinute }: RequestLogOptions) {
    this.#logger = logger;
    this.#lines = lines;
    this.#later = later;
  }

  /**
   * @param isQuiet whether the request is a probe, or loads a file of the build; it is logged at `debug` unless it
   * failed
   */
  log(request: RequestLine, isQuiet: boolean): void {
    const { status } = request;
    const isFault = status >= 500 && status !== 503;
    const level = isFault ? 'error' : isQuiet && status < 400 ? 'debug' : 'info';
    if (!this.#logger.isLevelEnabled(level)) return;
    if (this.#logger.isLevelEnabled('debug') || this.#shouldLog(request, isFault)) this.#write(level, request);
  }

  #shouldLog({ status, address }: RequestLine, isFault: boolean): boolean {
    if (!this.#began) {
      this.#began = true;
      this.#later(() => this.flush());
    }
    const kind = isFault ? 'faults' : status >= 400 ? 'refusals' : 'others';
    const count = kind === 'refusals' ? this.#findCount(address) : this.#rest;
    const isWritten =
      this.#written[kind] < MOST[kind] &&
      (kind !== 'refusals' || count === this.#rest || count.written < MOST.refusalsOfOne);
    if (isWritten) {
      this.#written[kind] += 1;
      count.written += 1;
      return true;
    }
    this.#lines.withheld += 1;
    count.withheld += 1;
    count.statuses[status] = (count.statuses[status] ?? 0) + 1;
    return false;
  }

  /** Ends the minute. Logs the number of omitted lines, with one line for each of the busiest identities. */
  flush(): void {
    const counts = [...this.#identities].filter(([, { withheld }]) => withheld > 0);
    const busiest = counts.sort(([, a], [, b]) => b.withheld - a.withheld);
    const rest = this.#rest;
    for (const [address, { withheld, statuses }] of busiest.splice(0, MOST_SUMMARIES))
      this.#logger.info({ address, requests: withheld, statuses }, 'requests summed up');
    for (const [, count] of busiest) {
      rest.withheld += count.withheld;
      for (const [status, requests] of Object.entries(count.statuses))
        rest.statuses[status] = (rest.statuses[status] ?? 0) + requests;
    }
    if (rest.withheld > 0)
      this.#logger.info({ address: null, requests: rest.withheld, statuses: rest.statuses }, 'requests summed up');
    this.#began = false;
    this.#written = { faults: 0, refusals: 0, others: 0 };
    this.#identities = new Map();
    this.#rest = createCount();
  }

  #findCount(address: string | null): Count {
    const parsed = address === null ? null : parseAddress(address);
    const identity = parsed === null ? 'unknown' : formatAddressSubject(parsed);
    const cached = this.#identities.get(identity);
    if (cached !== undefined) return cached;
    if (this.#identities.size >= MOST_IDENTITIES) return this.#rest;
    const count = createCount();
    this.#identities.set(identity, count);
    return count;
  }

  #write(level: 'error' | 'info' | 'debug', request: RequestLine): void {
    const { path: fullPath, duration: exact, ...rest } = request;
    const path = redactTokens(fullPath).slice(0, LONGEST_PATH);
    const line = { ...rest, path, duration: Math.round(exact * 100) / 100 };
    this.#logger[level](line, 'request');
  }
}

const createCount = (): Count => ({ written: 0, withheld: 0, statuses: {} });
