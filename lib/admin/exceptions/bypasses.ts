import { and, desc, eq, gte, inArray, lte, sql } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import type { ExceptionRow } from '@/lib/admin/exception-kind/exception-rows';
import type { ExceptionNeed } from '@/lib/admin/exceptions/need';
import { type Facts, plan } from '@/lib/enforcement/plan';
import type { Rules } from '@/lib/enforcement/rules';
import { parseAddress } from '@/lib/limiter/address';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import { type SubjectKind, splitQuota } from '@/lib/limiter/meter';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';
import { DAY, type Millis } from '@/lib/units';

/** Most bypasses read from the log, shared equally among the entries. The newest of each entry come first. */
const MOST = 20_000;
/** Bypasses replayed in one turn of the event loop. */
const TURN = 1_000;
/** Time for which the log is kept. */
const KEPT = 30 * DAY;

type Bypass = Pick<
  typeof decisions.$inferSelect,
  'at' | 'class' | 'method' | 'path' | 'ip' | 'userId' | 'apiKeyId' | 'sourceId'
>;

interface Bypasses {
  need: ExceptionNeed;
  lastAt: Millis;
}

/** Reads the logged bypasses of allowlist entries. An entry without any is missing from the result. */
export async function readBypasses(
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
  const byEntry = new Map<string, Bypass[]>();
  for (const bypass of logged) {
    const id = bypass.sourceId ?? '';
    const others = byEntry.get(id);
    if (others === undefined) byEntry.set(id, [bypass]);
    else others.push(bypass);
  }
  for (const [id, newestFirst] of byEntry) {
    const own = newestFirst.reverse();
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) continue;
    const need = { atLeast: await countRefusalsWithoutBypass(rules, own, now), since: first.at };
    found.set(id, { need, lastAt: last.at });
  }
  return found;
}

/**
 * Computes how many bypasses the current limits would have refused, at least. Replays each subject separately with cost
 * 1. An added request never reduces the refusals of a single window, so a replay of a partial log gives a lower bound.
 * Refusals of other subjects only add to it. The subject that refuses most counts.
 */
async function countRefusalsWithoutBypass(rules: Rules, bypasses: readonly Bypass[], now: Millis): Promise<number> {
  const counters = new Map<string, Counter>();
  const refused = new Map<SubjectKind, number>();
  for (const [index, bypass] of bypasses.entries()) {
    if (index > 0 && index % TURN === 0) await takeTurn();
    const { attempt } = plan(rules, buildFacts(bypass), now, false);
    for (const meter of splitQuota(attempt.meters).limits) {
      const { verdicts, changed } = evaluateGroup([{ meters: [meter], cost: 1 }], bypass.at, counters);
      for (const { key, counter } of changed) counters.set(key, counter);
      if (verdicts[0]?.admitted === false) refused.set(meter.subject, (refused.get(meter.subject) ?? 0) + 1);
    }
  }
  return Math.max(0, ...refused.values());
}

function buildFacts({ class: endpointClass, method, path, ip, userId, apiKeyId }: Bypass): Facts {
  return {
    class: endpointClass === '' ? null : endpointClass,
    method,
    path,
    address: ip === null ? undefined : parseAddress(ip),
    ...(userId === null ? {} : { userId }),
    ...(apiKeyId === null ? {} : { apiKeyId }),
    requestId: null,
  };
}
