import { z } from 'zod';
import { ClientEnvironment, withoutSecrets } from '@/lib/oauth/client/environment';

const KEY = 'sluice.oauth.environments';
/** The most that are kept. */
const MOST = 100;

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

/** The environments that this browser keeps, by name. What else stands there is passed over. */
export function keptEnvironments(shelf: Shelf): readonly ClientEnvironment[] {
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

/** Keeps an environment in place of the one of its name; secret and key only with `keep_secret`. @throws when there is no room */
export function keepEnvironment(shelf: Shelf, environment: ClientEnvironment): void {
  const kept = environment.keep_secret ? environment : withoutSecrets(environment);
  const others = keptEnvironments(shelf).filter(({ name }) => name !== environment.name);
  shelf.setItem(KEY, JSON.stringify([kept, ...others].slice(0, MOST)));
}

export function forgetEnvironment(shelf: Shelf, name: string): void {
  shelf.setItem(KEY, JSON.stringify(keptEnvironments(shelf).filter((kept) => kept.name !== name)));
}
