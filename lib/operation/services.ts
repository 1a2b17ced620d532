import type { Logger } from 'pino';
import type { AuthState } from '@/lib/auth/state';
import type { Config } from '@/lib/config/config';
import type { Breaker } from '@/lib/counters/breaker';
import type { Leases } from '@/lib/counters/leases';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { LabIdentity } from '@/lib/enforcement/caller-identity';
import type { Engine } from '@/lib/enforcement/engine';
import type { Refunds } from '@/lib/enforcement/refunds';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import type { LineGate } from '@/lib/logging/line-gate';
import type { LabState } from '@/lib/oauth/lab/services';
import type { Metrics } from '@/lib/statistics/metrics';
import type { Recorder } from '@/lib/statistics/recorder';
import type { Tracing } from '@/lib/tracing/tracing';
import type { Millis } from '@/lib/units';

/** Everything an operation may need from the process it runs in. Made once, in `lib/process/compose.ts`. */
export interface Services {
  readonly config: Config;
  readonly database: Database;
  /** The counter store behind its breaker. */
  readonly counters: CounterStore;
  /** Around the counter store: open while it is down. */
  readonly breaker: Breaker;
  /** The rules that requests are decided by, kept up to date by revision. */
  readonly rules: RulesCache;
  readonly engine: Engine;
  /** What this instance holds of the counters; undefined where they are not in Redis. */
  readonly leases: Leases | undefined;
  readonly refunds: Refunds;
  /** Counts what was decided, behind the decisions. */
  readonly statistics: Recorder;
  readonly metrics: Metrics;
  readonly auth: AuthState;
  /** What the OAuth lab remembers; nothing of it opens anything else. */
  readonly labState: LabState;
  /** The clients and the signing key of the lab, for enforcement. */
  readonly labIdentity: LabIdentity;
  readonly logger: Logger;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Bounds the lines of the log. */
  readonly lines: LineGate;
  /** Wall clock, milliseconds since the Unix epoch. */
  readonly clock: () => Millis;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Signs sessions; 32 bytes or more of text. */
  readonly authSecret: string;
  /** Whether the process has received SIGTERM and is finishing its requests. */
  readonly isStopping: () => boolean;
}
