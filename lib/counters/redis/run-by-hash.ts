import { createHash } from 'node:crypto';
import { StoreUnavailable } from '@/lib/counters/store';

const hashes = new Map<string, string>();

/** Returns the SHA-1 by which a server caches a script. */
function hashScript(script: string): string {
  const hash = hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
  hashes.set(script, hash);
  return hash;
}

/**
 * Runs a script by its hash, or by its text if the server has not cached it. A missing script has run nothing.
 * @param send sends a command whose first argument names the script
 */
export async function runByHash(
  script: string,
  send: (command: 'evalsha' | 'eval', script: string) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send('evalsha', hashScript(script));
  } catch (error) {
    if (!isMissingScript(error)) throw error;
    return send('eval', script);
  }
}

function isMissingScript(error: unknown): boolean {
  const reply = error instanceof StoreUnavailable ? error.cause : error;
  return reply instanceof Error && reply.message.startsWith('NOSCRIPT');
}
