import { and, count, desc, gte, isNotNull, ne } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import { LastHourDemand, WARM_UP } from '@/lib/admin/effect/last-hour';
import { LoggedDemand, type LoggedRefusals } from '@/lib/admin/effect/logged-demand';
import { formatMovedRequests } from '@/lib/admin/effect/sentences';
import { classify } from '@/lib/enforcement/classify';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { formatNumber } from '@/lib/format-number';
import type { Context } from '@/lib/operation/context';
import { findStart } from '@/lib/statistics/step';
import { HOUR, MINUTE } from '@/lib/units';

/** Most logged routes that are compared, those with most requests first. */
const MOST_ROUTES = 1_000;
const MOST_NAMED = 3;
/** Most logged requests that are replayed, the newest first. */
const MOST_REPLAYED = 20_000;

type Rules = ReturnType<typeof compileRouteRules>['rules'];

/** Says which logged requests of the last hour would get another class or cost under other route rules. */
export async function describeRouteRulesEffect(context: Context, before: unknown, after: unknown): Promise<string> {
  const { services, now } = context;
  const requests = count();
  const routes = await services.database.drizzle
    .select({ method: decisions.method, path: decisions.path, class: decisions.class, requests })
    .from(decisions)
    .where(and(gte(decisions.at, now - HOUR), isNotNull(decisions.path), isNotNull(decisions.method)))
    .groupBy(decisions.method, decisions.path, decisions.class)
    .orderBy(desc(requests))
    .limit(MOST_ROUTES);
  const [old, changed] = [compileRouteRules(before).rules, compileRouteRules(after).rules];
  let all = 0;
  let moved = 0;
  const named: string[] = [];
  for (const { method, path, class: recorded, requests: many } of routes) {
    if (method === null || path === null) continue;
    const [from, to] = [classify(old, method, path), classify(changed, method, path)];
    // The caller named the class of the other requests, so rules do not decide it.
    if (from.class !== recorded) continue;
    all += many;
    if (from.class === to.class && from.cost === to.cost) continue;
    moved += many;
    const [was, is] = from.class === to.class ? [`cost ${from.cost}`, `cost ${to.cost}`] : [from.class, to.class];
    if (named.length < MOST_NAMED) named.push(`${formatNumber(many)} of ${method} ${path} (${was} to ${is})`);
  }
  const log = 'in the log of the last hour (refusals and bypasses)';
  if (all === 0) return `There is no request ${log} that route rules decide.`;
  if (moved === 0) return `None of the ${formatNumber(all)} requests ${log} would get another class or cost.`;
  const summary = `Of the ${formatNumber(all)} requests ${log}, ${formatNumber(moved)} would get another class or cost: ${named.join(', ')}.`;
  return `${summary} ${formatMovedRequests(await countNewRefusals(context, old, changed))}`;
}

/** Counts the refusals of logged requests that change class or cost, in addition to the present demand. */
async function countNewRefusals(context: Context, old: Rules, changed: Rules): Promise<LoggedRefusals> {
  const { services, now } = context;
  const to = findStart(now, MINUTE);
  const rules = await services.rules.readFresh();
  const isLimited = ne(decisions.outcome, 'bypassed');
  const rows = await services.database.drizzle
    .select()
    .from(decisions)
    .where(
      and(gte(decisions.at, to - HOUR - WARM_UP), isNotNull(decisions.path), isNotNull(decisions.method), isLimited),
    )
    .orderBy(desc(decisions.at))
    .limit(MOST_REPLAYED);
  const demand = new LoggedDemand(to);
  for (const { at, method, path, class: recorded, ip, userId } of rows) {
    if (method === null || path === null) continue;
    const [was, is] = [classify(old, method, path), classify(changed, method, path)];
    if (was.class !== recorded || (was.class === is.class && was.cost === is.cost)) continue;
    demand.add(at, is.class, { ip, userId }, was.class === is.class ? is.cost - was.cost : is.cost);
  }
  const present = new LastHourDemand(context);
  return demand.computeRefusals(rules, now, async (subject, name) => (await present.read(subject, name)).identifiers);
}
