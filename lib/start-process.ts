import { authState } from '@/lib/auth/auth-state';
import { ConfigError } from '@/lib/config';
import { openFastLane } from '@/lib/enforcement/decision-api/fast-lane';
import { openUpstreamLane } from '@/lib/enforcement/upstream-lane';
import { startHousekeeping } from '@/lib/housekeeping';
import { watchAnswers } from '@/lib/http/watch-answers';
import { runtime } from '@/lib/runtime';
import { singleton } from '@/lib/singleton';

/** What `server.mjs` is told when the process has started. */
export interface ProcessHooks {
  /** Set when the start failed: the sentence for the operator. */
  failure: string | null;
  /** Called after the last request: writes what is still in memory and closes the stores. */
  close: () => Promise<void>;
}

/**
 * Starts the process. A fault is kept for `server.mjs`, which ends with its sentence; where there is no `server.mjs`
 * every request meets it again.
 */
export async function startProcess(): Promise<void> {
  const hooks: ProcessHooks = { failure: null, close: async () => undefined };
  try {
    const services = await runtime();
    const stop = startHousekeeping(services);
    openFastLane(services);
    openUpstreamLane(services);
    watchAnswers(services);
    hooks.close = async () => {
      await stop();
      await authState(services.database).uses.flush();
      await services.counters.close();
      services.database.close();
    };
  } catch (error) {
    hooks.failure = sentence(error);
  }
  singleton<(hooks: ProcessHooks) => void>('started', () => () => undefined)(hooks);
}

function sentence(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is wrong.\n${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}${cause(error)}` : String(error);
}

function cause(error: Error): string {
  return error.cause instanceof Error ? ` (${error.cause.message})` : '';
}
