import { FailedTokens } from '@/lib/auth/failed-tokens';
import { LastUse } from '@/lib/auth/last-use';
import { Semaphore } from '@/lib/auth/semaphore';
import { TokenReader } from '@/lib/auth/token-reader';
import type { Database } from '@/lib/db/database';
import type { OriginSettings } from '@/lib/http/request-origin';
import type { Millis } from '@/lib/units';

/** What authentication remembers in one process. */
export interface AuthState {
  readonly tokens: TokenReader;
  readonly failures: FailedTokens;
  readonly uses: LastUse;
  /** Password verifications at a time: each takes 19 MiB and a core for some tens of milliseconds. */
  readonly passwords: Semaphore;
}

/** What the functions of this room pick their dependencies from; the services of a process have them all. */
export interface AuthServices {
  readonly database: Database;
  readonly config: OriginSettings & { readonly SLUICE_ADMIN_TOKEN?: string | undefined };
  readonly auth: AuthState;
  /** Wall clock. */
  readonly clock: () => Millis;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Signs sessions. */
  readonly authSecret: string;
}

export function newAuthState(database: Database): AuthState {
  return {
    tokens: new TokenReader(database),
    failures: new FailedTokens(),
    uses: new LastUse(database),
    passwords: new Semaphore(2, 100),
  };
}
