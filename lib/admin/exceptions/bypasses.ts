import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, gte, inArray } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import type { ExceptionNeed, ExceptionRow } from '@/lib/admin/exceptions/exception-row';
import { type Facts, plan } from '@/lib/enforcement/plan';
import type { Rules } from '@/lib/enforcement/rules';
import { type Address, bitsOf, isWithin, parseAddress, parseRange } from '@/lib/limiter/address';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { SubjectKind } from '@/lib/limiter/meter';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** Logged bypasses that are read at most, the newest. */
const MOST = 20_000;
/** Replayed in one turn of the event loop. */
const TURN = 1_000;
/** The log is kept for so long. */
const KEPT = 30 * 86_400_000;

type Bypass = Pick<
  typeof decisions.$inferSelect,
  'at' | 'class' | 'method' | 'path' | 'ip' | 'userId' | 'apiKeyId' | 'sourceId'
>;

interface Bypasses {
  need: ExceptionNeed;
  lastAt: Millis;
  /** The narrowest range of all of them, where it is narrower than the entry's. */
  narrower: string | null;
}

/** What the decision log holds of the allowlist entries among these. None of an entry without logged bypasses. */
export async function bypassesOf(
  { services, now }: Context,
  rows: readonly ExceptionRow[],
): Promise<Map<string, Bypasses>> {
  const entries = new Map(rows.flatMap((row) => (row.kind === 'allowlist' ? [[row.id, row] as const] : [])));
  const found = new Map<string, Bypasses>();
  if (entries.size === 0) return found;
  const { at, class: endpointClass, method, path, ip, userId, apiKeyId, sourceId } = decisions;
  const logged: Bypass[] = await services.database.drizzle
    .select({ at, class: endpointClass, method, path, ip, userId, apiKeyId, sourceId })
    .from(decisions)
    .where(and(eq(decisions.source, 'allowlist'), inArray(sourceId, [...entries.keys()]), gte(at, now - KEPT)))
    .orderBy(desc(at))
    .limit(MOST);
  const rules = await services.rules.fresh();
  for (const [id, row] of entries) {
    const own = logged.filter((bypass) => bypass.sourceId === id).reverse();
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) continue;
    const need = { atLeast: await refusedWithout(rules, own, now), since: first.at };
    found.set(id, { need, lastAt: last.at, narrower: narrowerThan(row, own) });
  }
  return found;
}

/**
 * How many of these bypasses the limits in force now would have refused at least. Each subject is replayed alone, with
 * cost 1: to add a request never makes a single window refuse fewer of them, so the replay of a part, which the log
 * is, bounds the whole from below; and what another subject refuses comes on top. The subject that refuses most counts.
 */
async function refusedWithout(rules: Rules, bypasses: readonly Bypass[], now: Millis): Promise<number> {
  const counters = new Map<string, Counter>();
  const refused = new Map<SubjectKind, number>();
  for (const [index, bypass] of bypasses.entries()) {
    if (index > 0 && index % TURN === 0) await setImmediate();
    const { attempt } = plan(rules, factsOf(bypass), now, false);
    for (const meter of attempt.meters) {
      if (meter.subject === 'quota') continue;
      const { verdicts, changed } = evaluateGroup([{ meters: [meter], cost: 1 }], bypass.at, counters);
      for (const [key, { counter }] of changed) counters.set(key, counter);
      if (verdicts[0]?.admitted === false) refused.set(meter.subject, (refused.get(meter.subject) ?? 0) + 1);
    }
  }
  return Math.max(0, ...refused.values());
}

function factsOf({ class: endpointClass, method, path, ip, userId, apiKeyId }: Bypass): Facts {
  return {
    class: endpointClass,
    method,
    path,
    address: ip === null ? undefined : parseAddress(ip),
    ...(userId === null ? {} : { userId }),
    ...(apiKeyId === null ? {} : { apiKeyId }),
    requestId: null,
  };
}

/** The range of all addresses, where an entry for a range has a wider one. An IPv6 address stands for its /64. */
function narrowerThan({ type, identifier }: ExceptionRow, bypasses: readonly Bypass[]): string | null {
  const range = type === 'ip' ? parseRange(identifier) : null;
  if (range === null || range.length === bitsOf(range.first)) return null;
  const addresses = new Map<string, Address>();
  for (const { ip } of bypasses) {
    const address = ip === null || addresses.has(ip) ? null : parseAddress(ip);
    if (address !== null && isWithin(address, range)) addresses.set(address.text, address);
  }
  const [first] = addresses.values();
  if (first === undefined) return null;
  const narrowest = first.family === 4 ? 32 : 64;
  for (let length = narrowest; length > range.length; length -= 1) {
    const candidate = parseRange(`${first.text}/${length}`);
    if (candidate === null) return null;
    if ([...addresses.values()].every((address) => isWithin(address, candidate))) return candidate.text;
  }
  return null;
}
