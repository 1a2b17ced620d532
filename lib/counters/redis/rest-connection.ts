import type { Redis } from '@upstash/redis';
import { Deadlines } from '@/lib/counters/redis/deadlines';
import { convertRedisFault } from '@/lib/counters/redis/faults';
import type { RedisLink, RedisLinkOptions, ReplyType } from '@/lib/counters/redis/link';
import { createReplyFault } from '@/lib/counters/redis/replies';
import type { RestEndpoint } from '@/lib/counters/redis/rest-endpoint';
import { runByHash } from '@/lib/counters/redis/run-by-hash';
import { StoreUnavailable } from '@/lib/counters/store';
import type { Millis } from '@/lib/units';

/** Default timeout of a call. A call may have to connect first, which takes several round trips. */
const TIMEOUT: Millis = 1_000;
/** Time after which a request is ended, in timeouts. */
const ABANDONED_AFTER = 2;
const SCAN_STEP = 1_000;

/**
 * Redis over HTTP, with Upstash's REST API. Each call is one request.
 *
 * HTTP has no connection whose loss would show that another server answers. So every failed call starts a new
 * generation, and the next decision compares the stored revision with the database.
 */
export class RestConnection implements RedisLink {
  readonly isCluster = false;
  readonly #timeout: Millis;
  readonly #deadlines: Deadlines;
  #client: Promise<Redis> | null = null;
  #generation = 1;
  #isUp = true;
  #isClosed = false;

  constructor(
    private readonly endpoint: RestEndpoint,
    private readonly options: RedisLinkOptions,
  ) {
    this.#timeout = options.commandTimeout ?? TIMEOUT;
    this.#deadlines = new Deadlines({
      timeout: this.#timeout,
      late: () => new StoreUnavailable('Redis did not answer in time.'),
      // Each request ends by its own signal.
      silent: () => undefined,
    });
  }

  get generation(): number {
    return this.#generation;
  }

  /** Loads the client. It sends nothing, because the first call reports whether the server is up. */
  async connect(): Promise<boolean> {
    await this.#load();
    return true;
  }

  open(): Promise<boolean> {
    return this.connect();
  }

  async run(
    script: string,
    keys: readonly string[],
    args: readonly (string | number)[],
    reply: ReplyType = 'text',
  ): Promise<unknown> {
    const text = reply === 'bytes' ? replyInHexadecimal(script) : script;
    const rest = [keys.length, ...keys, ...args];
    const result = await runByHash(text, (command, first) => this.#send([command, first, ...rest]));
    return reply === 'bytes' && typeof result === 'string' ? Buffer.from(result, 'hex') : result;
  }

  runCommand(name: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.#send([name, ...args]);
  }

  async *scan(pattern: string): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const reply = await this.#send(['scan', cursor, 'MATCH', pattern, 'COUNT', SCAN_STEP]);
      const [next, names]: unknown[] = Array.isArray(reply) ? reply : [];
      if (!/^\d+$/.test(String(next)) || !Array.isArray(names)) throw createReplyFault();
      yield names.map(String);
      cursor = String(next);
    } while (cursor !== '0');
  }

  close(): void {
    this.#isClosed = true;
  }

  /** @throws StoreUnavailable */
  async #send(command: [name: string, ...args: (string | number)[]]): Promise<unknown> {
    if (this.#isClosed) throw new StoreUnavailable('The connection to Redis is closed.');
    try {
      const redis = await this.#load();
      const result = await this.#deadlines.follow<unknown>(redis.exec(command));
      this.#handleAnswered();
      return result;
    } catch (error) {
      const reply = parseRefusal(error);
      // The server answers: it has restarted, or its scripts were flushed.
      if (reply !== null) this.#handleAnswered();
      else this.#handleDown(error);
      this.#generation += 1;
      throw convertRedisFault(reply ?? error);
    }
  }

  /** Loads the client with the first call, because most installations do not use it. */
  #load(): Promise<Redis> {
    this.#client ??= import('@upstash/redis').then(
      ({ Redis }) =>
        new Redis({
          ...this.endpoint,
          // `retry: false` sends a call twice. It may have been counted the first time.
          retry: { retries: 0 },
          // Aborts a request that has timed out. A process that was blocked reads the received data first.
          signal: () => AbortSignal.timeout(ABANDONED_AFTER * this.#timeout),
          automaticDeserialization: false,
          enableAutoPipelining: false,
          enableTelemetry: false,
        }),
    );
    return this.#client;
  }

  #handleAnswered(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.options.logger.info('the counter store is back');
  }

  #handleDown(error: unknown): void {
    if (!this.#isUp || this.#isClosed) return;
    this.#isUp = false;
    this.options.logger.warn({ err: error }, 'the counter store is down');
  }
}

const inHexadecimal = new Map<string, string>();

/** Converts the string that a script replies to hexadecimal, because JSON holds no bytes. */
function replyInHexadecimal(script: string): string {
  const text = inHexadecimal.get(script) ?? wrapScript(script);
  inHexadecimal.set(script, text);
  return text;
}

function wrapScript(script: string): string {
  return `
local reply = (function()
${script}
end)()
if type(reply) ~= 'string' then return reply end
return (string.gsub(reply, '.', function(byte) return string.format('%02x', string.byte(byte)) end))
`;
}

/**
 * Returns the error that Redis replied, or null for any other fault. The driver adds the command to it, with all keys
 * of a group, which no log may contain.
 */
function parseRefusal(error: unknown): Error | null {
  if (!(error instanceof Error) || error.name !== 'UpstashError') return null;
  if (error.message.startsWith('Unable to parse response body')) return null;
  const refusal = new Error(error.message.replace(/, command was: .*$/s, ''));
  refusal.name = 'ReplyError';
  return refusal;
}
