import { authState } from '@/lib/auth/state';
import { ConfigError } from '@/lib/config';
import { MigrationError } from '@/lib/db/migrate';
import { UnusableDatabase } from '@/lib/db/unusable-database';
import { openFastLane } from '@/lib/enforcement/decision-api/fast-path';
import { openUpstreamLane } from '@/lib/enforcement/upstream-streams';
import { startHousekeeping } from '@/lib/process/housekeeping';
import { watchAnswers } from '@/lib/process/log-answers';
import { runtime } from '@/lib/process/runtime';
import { singleton } from '@/lib/process/singleton';

/** What `server.mjs` is told when the process has started. */
export interface ProcessHooks {
  /** Set when the start failed: the sentence for the operator. */
  failure: string | null;
  /** How long connections are accepted after SIGTERM, in seconds. */
  drainSeconds: number;
  /**
   * Called after the last request: writes what is still in memory and closes the stores. Every part gets its turn.
   * @throws AggregateError of those that failed
   */
  close: () => Promise<void>;
}

/**
 * Starts the process. A fault is kept for `server.mjs`, which ends with its sentence; where there is no `server.mjs`
 * every request meets it again.
 */
export async function startProcess(): Promise<void> {
  const hooks: ProcessHooks = { failure: null, drainSeconds: 0, close: async () => undefined };
  try {
    const services = await runtime();
    const stop = startHousekeeping(services);
    openFastLane(services);
    openUpstreamLane(services);
    watchAnswers(services);
    hooks.drainSeconds = services.config.SLUICE_DRAIN_SECONDS;
    hooks.close = () =>
      inTurn([
        stop,
        () => authState(services.database).uses.flush(),
        () => services.counters.close(),
        async () => services.database.close(),
      ]);
  } catch (error) {
    hooks.failure = sentence(error);
  }
  singleton<(hooks: ProcessHooks) => void>('started', () => () => undefined)(hooks);
}

async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const faults: unknown[] = [];
  for (const step of steps) await step().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw new AggregateError(faults, 'Not everything could be written.');
}

function sentence(error: unknown): string {
  if (error instanceof UnusableDatabase || error instanceof MigrationError) return error.message;
  if (error instanceof ConfigError) return `The configuration is wrong.\n${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}${cause(error)}` : String(error);
}

function cause(error: Error): string {
  return error.cause instanceof Error ? ` (${error.cause.message})` : '';
}
