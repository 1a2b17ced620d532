import { FailedTokens } from '@/lib/auth/failed-tokens';
import { LastUse } from '@/lib/auth/last-use';
import { Slots } from '@/lib/auth/semaphore';
import { TokenReader } from '@/lib/auth/token-reader';
import type { Database } from '@/lib/db/database';

/** What authentication remembers in one process. */
export interface AuthState {
  tokens: TokenReader;
  failures: FailedTokens;
  uses: LastUse;
  /** Passwords that are verified at a time: each takes 19 MiB and a core for some tens of milliseconds. */
  passwords: Slots;
}

const KEY = Symbol.for('sluice.auth-state');

/** The state that belongs to a database of this process: one for all bundles, which share `globalThis`. */
export function authState(database: Database): AuthState {
  const shared = globalThis as { [KEY]?: WeakMap<Database, AuthState> };
  shared[KEY] ??= new WeakMap();
  const known = shared[KEY].get(database);
  if (known !== undefined) return known;
  const state = {
    tokens: new TokenReader(database),
    failures: new FailedTokens(),
    uses: new LastUse(database),
    passwords: new Slots(2, 100),
  };
  shared[KEY].set(database, state);
  return state;
}
