import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, gte, inArray, lte, sql } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import type { ExceptionNeed, ExceptionRow } from '@/lib/admin/exceptions/exception-row';
import { type Facts, plan } from '@/lib/enforcement/plan';
import type { Rules } from '@/lib/enforcement/rules';
import { parseAddress } from '@/lib/limiter/address';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { SubjectKind } from '@/lib/limiter/meter';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** Logged bypasses that are read at most, the newest of each entry: a busy one leaves the others their share. */
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
}

/** What the decision log holds of the allowlist entries among these. None of an entry without logged bypasses. */
export async function bypassesOf(
  { services, now }: Context,
  rows: readonly ExceptionRow[],
): Promise<Map<string, Bypasses>> {
  const entries = new Set(rows.flatMap(({ kind, id }) => (kind === 'allowlist' ? [id] : [])));
  const found = new Map<string, Bypasses>();
  if (entries.size === 0) return found;
  const { at, class: endpointClass, method, path, ip, userId, apiKeyId, sourceId } = decisions;
  const ofEntries = and(eq(decisions.source, 'allowlist'), inArray(sourceId, [...entries.keys()]), gte(at, now - KEPT));
  const { drizzle } = services.database;
  const ranked = drizzle
    .select({
      ...{ at, class: endpointClass, method, path, ip, userId, apiKeyId, sourceId },
      rank: sql<number>`row_number() over (partition by ${sourceId} order by ${at} desc)`.as('newest_first'),
    })
    .from(decisions)
    .where(ofEntries)
    .as('ranked');
  const share = Math.floor(MOST / entries.size);
  const logged: Bypass[] = await drizzle.select().from(ranked).where(lte(ranked.rank, share)).orderBy(desc(ranked.at));
  const rules = await services.rules.readFresh();
  for (const id of entries) {
    const own = logged.filter((bypass) => bypass.sourceId === id).reverse();
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) continue;
    const need = { atLeast: await refusedWithout(rules, own, now), since: first.at };
    found.set(id, { need, lastAt: last.at });
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
      for (const { key, counter } of changed) counters.set(key, counter);
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
