import type { Database } from '@/lib/db/database';
import { UnusableDatabase } from '@/lib/db/unusable-database';

export interface ReachOptions {
  /** `DATABASE_URL`; only its scheme, host and port are repeated. */
  url: string;
  wait: (milliseconds: number) => Promise<void>;
  /** How long the server may take, in milliseconds. */
  deadline?: number;
}

/**
 * Queries a remote database once, before anything is changed on it.
 * @throws UnusableDatabase when it cannot be reached, refuses, or is no libSQL server
 */
export async function reachServer(database: Database, options: ReachOptions): Promise<void> {
  const { url, wait, deadline = 4_000 } = options;
  const { protocol, host } = new URL(url);
  const late = wait(deadline).then(() => {
    throw new Error(`no answer within ${deadline / 1_000} seconds`);
  });
  try {
    await Promise.race([database.client.execute('select 1'), late]);
  } catch (error) {
    const reason = reasonOf(error);
    const sentence = /HTTP status 40[13]/.test(reason)
      ? `which refuses: DATABASE_AUTH_TOKEN is missing or wrong`
      : 'which cannot be reached';
    throw new UnusableDatabase(`DATABASE_URL names the server ${protocol}//${host}, ${sentence} (${reason}).`, {
      cause: error,
    });
  }
}

/** The first line of what the innermost fault says. */
function reasonOf(fault: unknown): string {
  let innermost = fault;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  const message = innermost instanceof Error ? innermost.message : String(innermost);
  return (message.split('\n', 1)[0] ?? '').slice(0, 200);
}
