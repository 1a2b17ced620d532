import { createHash } from 'node:crypto';

const hashes = new Map<string, string>();

/** Returns the SHA-1 by which a server caches a script. */
export function hashScript(script: string): string {
  const hash = hashes.get(script) ?? createHash('sha1').update(script).digest('hex');
  hashes.set(script, hash);
  return hash;
}
