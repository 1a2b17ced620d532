import { type ApiReply, type Call, Connection, requireOperation } from '@/cli/connection';
import type { StreamedAnswer } from '@/cli/exchange';
import { createUsageFailure } from '@/cli/failure';
import { Output } from '@/cli/output/output';
import type { ProgressLine, Streams } from '@/cli/output/streams';
import {
  canOthersReadSettings,
  chooseServerUrl,
  type Environment,
  locateSettingsFile,
  readSettings,
} from '@/cli/settings';
import type { Manifest, ManifestOperation } from '@/lib/openapi/manifest';

/** Options of every command. */
export interface GlobalOptions {
  url?: string | undefined;
  tokenStdin: boolean;
  json: boolean;
  yes: boolean;
  /** Timeout of one call with its retries. */
  timeoutMs: number;
}

interface World {
  manifest: Manifest;
  streams: Streams;
  env: Environment;
  /** Current time, in milliseconds since the Unix epoch. */
  now: () => number;
}

/** Delay before a progress line appears. */
const PATIENCE_MS = 700;

/** Explains in a sentence how to get an admin token. */
export const explainTokenSetup = (url: string): string =>
  `Make an admin token at ${url}/settings?tab=tokens, then run \`sluice login\`, or set SLUICE_TOKEN.`;

/** @throws Failure if the text cannot be an admin token */
export function requireAdminToken(token: string, url: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) throw createUsageFailure('The token has characters that no token has.');
  if (!token.startsWith('slk_')) return;
  const where = 'An API key belongs in the header X-API-Key of requests, or in SLUICE_API_KEY for `sluice check`.';
  throw createUsageFailure('That is an API key, not an admin token.', `${where} ${explainTokenSetup(url)}`);
}

/** Everything that a command may use. */
export class CommandContext {
  readonly output: Output;
  /** Names by id, for objects that were found by name. */
  readonly names = new Map<string, string>();
  #connection: Connection | undefined;
  #token: string | undefined;
  #stdin: string | undefined;

  constructor(
    readonly world: World,
    readonly options: GlobalOptions,
  ) {
    const { streams, env, now } = world;
    this.output = new Output({ streams, env, now, json: options.json, yes: options.yes });
  }

  get manifest(): Manifest {
    return this.world.manifest;
  }

  get env(): Environment {
    return this.world.env;
  }

  now(): number {
    return this.world.now();
  }

  /** URL of the server, without a trailing slash. @throws Failure */
  get url(): string {
    return chooseServerUrl(this.options.url, this.env, () => readSettings(this.env));
  }

  /**
   * Calls an operation with retries and returns the server's answer. After a change, `undoHint` prints how to undo it.
   * @param id as in the contract: `addAllowlistEntry`
   * @throws Failure
   */
  async request(id: string, call: Call = {}): Promise<ApiReply> {
    const connection = await this.#connect();
    const operation = this.lookUpOperation(id);
    return this.#runWithProgress(connection.request(operation, call)).catch(async (error: unknown) => {
      const { nameUnknownMembers } = await import('@/cli/unknown-members');
      throw nameUnknownMembers(error, call.body, operation.body);
    });
  }

  /** Calls an operation whose answer is read as it arrives. */
  async stream(id: string, call: Call = {}): Promise<StreamedAnswer> {
    return (await this.#connect()).stream(this.lookUpOperation(id), call);
  }

  lookUpOperation(id: string): ManifestOperation {
    return requireOperation(this.manifest.operations, id);
  }

  /** Prints how to undo a finished change. */
  undoHint(answer: ApiReply): void {
    if (answer.auditSeq !== null) this.output.note(`undo: sluice audit undo ${answer.auditSeq}`);
  }

  /**
   * Returns the admin token: from stdin, the environment, or the settings that `sluice login` wrote for this server.
   * Null if there is none.
   */
  async readToken(): Promise<string | null> {
    if (this.options.tokenStdin) {
      if (this.#token === undefined) {
        const [line = ''] = (await this.readAllStdin()).split('\n');
        if (line.trim() === '') throw createUsageFailure('There is no token on stdin.');
        this.#token = line.trim();
      }
      return this.#token;
    }
    if (this.env.SLUICE_TOKEN) return this.env.SLUICE_TOKEN;
    const saved = readSettings(this.env).servers[new URL(this.url).origin]?.token ?? null;
    if (saved !== null && canOthersReadSettings(this.env)) {
      this.output.note(`Others can read ${locateSettingsFile(this.env)}: chmod 600 it.`);
    }
    return saved;
  }

  /** Reads all of stdin, once. @throws Failure if it is a terminal, because reading would seem to hang */
  async readAllStdin(): Promise<string> {
    if (this.#stdin === undefined) {
      const { stdin } = this.world.streams;
      if (stdin.isTTY === true) throw createUsageFailure('Nothing is piped into stdin.');
      let text = '';
      stdin.setEncoding('utf8');
      for await (const chunk of stdin) text += chunk;
      this.#stdin = text;
    }
    return this.#stdin;
  }

  /** Shows a progress line if the work takes a while. */
  async #runWithProgress<T>(work: Promise<T>): Promise<T> {
    let shown: Promise<ProgressLine> | undefined;
    const timer = setTimeout(() => {
      shown = this.output.showProgress(`Waiting for ${new URL(this.url).host}`);
    }, PATIENCE_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      (await shown)?.stop();
    }
  }

  async #connect(): Promise<Connection> {
    if (this.#connection === undefined) {
      const token = await this.readToken();
      this.#connection = new Connection({
        url: this.url,
        timeoutMs: this.options.timeoutMs,
        userAgent: `sluice/${this.manifest.version}`,
        now: () => this.now(),
        credentials: (operation) => this.#readCredentials(operation, token),
        onRetry: (why, waitMs) => {
          if (this.output.canAsk) this.output.note(`${why}: trying again in ${Math.ceil(waitMs / 1000)} s`);
        },
      });
    }
    return this.#connection;
  }

  #readCredentials({ access }: ManifestOperation, token: string | null): Record<string, string> {
    if (access === 'api-key') {
      const key = this.env.SLUICE_API_KEY;
      if (!key) throw createUsageFailure('This needs an API key.', 'Set SLUICE_API_KEY.');
      return { 'x-api-key': key };
    }
    if (access === 'cron') {
      const secret = this.env.CRON_SECRET;
      if (!secret) throw createUsageFailure('This needs the secret of the housekeeping.', 'Set CRON_SECRET.');
      return { authorization: `Bearer ${secret}` };
    }
    if (access === 'public') return {};
    if (token === null) throw createUsageFailure('There is no token.', explainTokenSetup(this.url));
    requireAdminToken(token, this.url);
    return { authorization: `Bearer ${token}` };
  }
}
