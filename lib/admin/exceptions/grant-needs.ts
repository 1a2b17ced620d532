import type { ExceptionRow } from '@/lib/admin/exception-kind/exception-rows';
import type { ExceptionNeed } from '@/lib/admin/exceptions/need';
import { readQuotaUsagesOrNull } from '@/lib/admin/keys/usage';
import { findMonthStart } from '@/lib/enforcement/quota-counter';
import type { Context } from '@/lib/operation/context';

/** Computes, for each grant, how much of it its key has used this month. */
export async function computeGrantNeeds(
  { services, now }: Context,
  rows: readonly ExceptionRow[],
): Promise<Map<string, ExceptionNeed>> {
  const granted = rows.filter(({ kind }) => kind === 'grant');
  const needs = new Map<string, ExceptionNeed>();
  if (granted.length === 0) return needs;
  const rules = await services.rules.readFresh();
  const keys = [...new Set(granted.map(({ identifier }) => identifier))].flatMap(
    (id) => rules.findKeyById(id, now) ?? [],
  );
  const usages = await readQuotaUsagesOrNull(services, keys, now);
  for (const { id, identifier, requests } of granted) {
    const key = keys.find((one) => one.id === identifier);
    const usage = usages?.find(({ api_key_id: key }) => key === identifier);
    if (usage === undefined || key === undefined || requests === null) continue;
    const beyond = usage.usage - (usage.limit - requests);
    needs.set(id, { atLeast: Math.min(requests, Math.max(0, beyond)), since: findMonthStart(key, now) });
  }
  return needs;
}
