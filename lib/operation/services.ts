import type { Logger } from 'pino';
import type { AuthState } from '@/lib/auth/state';
import type { Config } from '@/lib/config/config';
import type { Breaker } from '@/lib/counters/breaker';
import type { Leases } from '@/lib/counters/leases';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { LabIdentity } from '@/lib/enforcement/caller-identity';
import type { Engine } from '@/lib/enforcement/engine';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import type { Settlements } from '@/lib/enforcement/settlements';
import type { LineGate } from '@/lib/logging/line-gate';
import type { LabState } from '@/lib/oauth/lab/services';
import type { Metrics } from '@/lib/statistics/metrics';
import type { Recorder } from '@/lib/statistics/recorder';
import type { Tracing } from '@/lib/tracing/tracing';
import type { Millis } from '@/lib/units';

/** Everything that an operation may need from its process. Created once, in `lib/process/compose.ts`. */
export interface Services {
  readonly config: Config;
  readonly database: Database;
  /** The counter store behind its breaker. */
  readonly counters: CounterStore;
  /** Breaker of the counter store. It is open while the store is down. */
  readonly breaker: Breaker;
  /** The rules that apply to requests, kept up to date by revision. */
  readonly rules: RulesCache;
  readonly engine: Engine;
  /** Permits that this instance holds. Undefined if the counters are not in Redis. */
  readonly leases: Leases | undefined;
  readonly settlements: Settlements;
  /** Counts decisions asynchronously. */
  readonly statistics: Recorder;
  readonly metrics: Metrics;
  readonly auth: AuthState;
  /** State of the OAuth lab. It grants access to nothing else. */
  readonly labState: LabState;
  /** Clients and signing key of the lab, for enforcement. */
  readonly labIdentity: LabIdentity;
  readonly logger: Logger;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
  /** Limits the number of log lines. */
  readonly lines: LineGate;
  /** Wall clock, in milliseconds since the Unix epoch. */
  readonly clock: () => Millis;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Secret that signs sessions: text of at least 32 bytes. */
  readonly authSecret: string;
  /** Returns whether the process has received SIGTERM and is finishing its requests. */
  readonly isStopping: () => boolean;
}
