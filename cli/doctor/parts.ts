import { createFailed, createOk, createWarning, type DoctorCheck } from '@/cli/doctor/check';
import type { ServerFacts } from '@/cli/doctor/judge';
import type { Millis } from '@/lib/units';

/** Public part of `readReadiness`. Earlier versions send less. */
export interface Readiness {
  status?: unknown;
  parts?: Readonly<Record<string, { ok?: boolean }>>;
}

type Health = ServerFacts['overview']['health'];

/** Difference between the clocks of counters and server above which a warning is shown. */
const MOST_SKEW: Millis = 2_000;
const SLOW: Millis = 250;

/** Advice for each part that is down. */
const ADVICE: Readonly<Record<string, string>> = {
  database:
    'The database: see that the server of DATABASE_URL runs and can be reached from Sluice, or that the disk of its file is not full.',
  database_file: 'The database file was moved or replaced while Sluice ran: restart Sluice.',
  migrations: 'The database is of another version than the server: restart Sluice, which migrates it.',
  counter_store:
    'The counters: see that Redis (REDIS_URL or UPSTASH_REDIS_REST_URL) or the database server runs and can be reached from Sluice. Until then read and write are limited by each process at half the limit, and auth and sensitive get 503.',
  breaker:
    'The breaker asks the counters again within 10 seconds: run this again. If it stays open, mend the counters.',
  statistics: 'Statistics are not written, only kept in memory: repair the database, or free space on its disk.',
};

const namePart = (part: string) => part.replaceAll('_', ' ');

/** Names the parts that are down. */
export const listDownParts = ({ parts = {} }: Readiness): string[] =>
  Object.entries(parts).flatMap(([name, { ok: works }]) => (works === false ? [namePart(name)] : []));

/** @param health from the overview, or null if it could not be read */
export function checkParts(readiness: Readiness, health: Health | null): DoctorCheck {
  const parts = Object.entries({ ...readiness.parts, ...health });
  const isDown = ({ ok: works, state }: Health[string]) => works === false || (state ?? 'closed') !== 'closed';
  const down = parts.filter(([, part]) => isDown(part)).map(([name]) => name);
  const text = health === null ? 'Latencies need a token that may read.' : formatLatencies(health);
  if (down.length > 0) {
    // An open breaker follows from counters that are down, so only the cause is listed.
    const causes = down.filter((name) => name !== 'breaker' || !down.includes('counter_store'));
    const advice = causes.flatMap((name) => ADVICE[name] ?? []).join(' ');
    return createFailed(
      'parts',
      `Down: ${down.map(namePart).join(', ')}. ${text}`,
      `${advice} The log of the server has the cause.`.trimStart(),
    );
  }
  const skew = health?.counter_store?.clock_skew_ms ?? 0;
  if (Math.abs(skew) > MOST_SKEW)
    return createWarning(
      'parts',
      `${text} The clock of the counters is ${Math.abs(skew) / 1000} s ${skew > 0 ? 'ahead of' : 'behind'} the one of the server.`,
      'Let NTP set both; windows go by the clock of the counters, everything else by the one of the server.',
    );
  const isSlow = (health?.counter_store?.latency_ms ?? 0) > SLOW || (health?.database?.latency_ms ?? 0) > SLOW;
  return isSlow
    ? createWarning('parts', text, 'Every decision waits for the counters: bring them closer.')
    : createOk('parts', text);
}

function formatLatencies({ counter_store: store, database }: Health): string {
  const counters = `${store?.kind ?? 'unknown'}${store?.cluster ? ' cluster' : ''}, ${formatMilliseconds(store?.latency_ms)}`;
  return `Counters: ${counters}. Database: ${database?.kind ?? 'unknown'}, ${formatMilliseconds(database?.latency_ms)}.`;
}

const formatMilliseconds = (value: number | undefined): string =>
  value === undefined ? 'unknown' : `${Math.round(value * 10) / 10} ms`;
