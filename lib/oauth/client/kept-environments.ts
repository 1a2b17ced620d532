import { z } from 'zod';
import { parseJson } from '@/lib/json';
import { ClientEnvironment, removeSecrets } from '@/lib/oauth/client/environment';

const KEY = 'sluice.oauth.environments';
/** Maximum number of stored environments. */
const MOST = 100;

type EnvironmentStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** Reads the environments that this browser stores, by name. Invalid entries are skipped. */
export function readEnvironments(storage: EnvironmentStorage): readonly ClientEnvironment[] {
  const stored = parseJson(storage.getItem(KEY) ?? '[]');
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
export function keepEnvironment(storage: EnvironmentStorage, environment: ClientEnvironment): void {
  const stored = environment.keep_secret ? environment : removeSecrets(environment);
  const others = readEnvironments(storage).filter(({ name }) => name !== environment.name);
  storage.setItem(KEY, JSON.stringify([stored, ...others].slice(0, MOST)));
}

export function forgetEnvironment(storage: EnvironmentStorage, name: string): void {
  storage.setItem(KEY, JSON.stringify(readEnvironments(storage).filter((other) => other.name !== name)));
}
