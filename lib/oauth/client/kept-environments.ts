import { z } from 'zod';
import { ClientEnvironment, removeSecrets } from '@/lib/oauth/client/environment';

const KEY = 'sluice.oauth.environments';
/** Maximum number of stored environments. */
const MOST = 100;

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

/** Reads the environments that this browser stores, by name. Invalid entries are skipped. */
export function readEnvironments(shelf: Shelf): readonly ClientEnvironment[] {
  let stored: unknown;
  try {
    stored = JSON.parse(shelf.getItem(KEY) ?? '[]');
  } catch {
    return [];
  }
  const entries = z.array(z.unknown()).safeParse(stored).data ?? [];
  return entries
    .flatMap((entry) => ClientEnvironment.safeParse(entry).data ?? [])
    .filter(({ name }) => name !== '')
    .sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * Stores an environment, and replaces one with the same name. Secret and key are stored only with `keep_secret`.
 * @throws if the storage is full
 */
export function keepEnvironment(shelf: Shelf, environment: ClientEnvironment): void {
  const stored = environment.keep_secret ? environment : removeSecrets(environment);
  const others = readEnvironments(shelf).filter(({ name }) => name !== environment.name);
  shelf.setItem(KEY, JSON.stringify([stored, ...others].slice(0, MOST)));
}

export function forgetEnvironment(shelf: Shelf, name: string): void {
  shelf.setItem(KEY, JSON.stringify(readEnvironments(shelf).filter((other) => other.name !== name)));
}
