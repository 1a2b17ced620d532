import { and, count, desc, gte, isNotNull } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import { words } from '@/lib/admin/preview/sentences';
import { classify } from '@/lib/enforcement/classify';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import type { Context } from '@/lib/operation/context';
import { HOUR } from '@/lib/statistics/step';

/** Most routes of the log that are looked at, those with most requests first. */
const MOST_ROUTES = 1_000;
const MOST_NAMED = 3;

/** Which requests in the log of the last hour other route rules would give another class or cost. */
export async function routeRulesSentence({ services, now }: Context, before: unknown, after: unknown): Promise<string> {
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
    // The others were decided in a class that their caller named.
    if (from.class !== recorded) continue;
    all += many;
    if (from.class === to.class && from.cost === to.cost) continue;
    moved += many;
    const [was, is] = from.class === to.class ? [`cost ${from.cost}`, `cost ${to.cost}`] : [from.class, to.class];
    if (named.length < MOST_NAMED) named.push(`${words(many)} of ${method} ${path} (${was} to ${is})`);
  }
  const log = 'in the log of the last hour (refusals and bypasses)';
  if (all === 0) return `There is no request ${log} that route rules decide.`;
  if (moved === 0) return `None of the ${words(all)} requests ${log} would get another class or cost.`;
  return `Of the ${words(all)} requests ${log}, ${words(moved)} would get another class or cost: ${named.join(', ')}.`;
}
