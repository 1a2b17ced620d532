import type { MonthRef } from '@/lib/counters/store';
import type { KeyRecord } from '@/lib/enforcement/rules';
import type { ApiKeyId } from '@/lib/ids';
import { buildCounterKey } from '@/lib/limiter/counter-key';
import { createMonths } from '@/lib/limiter/month-anchor';
import { computeCalendarMonth, computeStartOfMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Returns the key of the monthly counter of an API key. */
export function buildQuotaKey(apiKeyId: ApiKeyId): string {
  return buildCounterKey('quota', apiKeyId, 'all', { kind: 'month' });
}

/** Returns the monthly counter of an API key, with the months that it counts. */
export function findQuotaCounter(key: Pick<KeyRecord, 'id' | 'monthStartsOn' | 'monthShift'>): MonthRef {
  return { key: buildQuotaKey(key.id), window: createMonths(key.monthStartsOn, key.monthShift) };
}

/** Returns whether the months of a key differ from the calendar's. */
export function hasAnchor({ monthStartsOn, monthShift }: Pick<KeyRecord, 'monthStartsOn' | 'monthShift'>): boolean {
  return monthStartsOn !== 1 || monthShift !== 0;
}

/** Returns when the current month of a key began. */
export function findMonthStart(key: Pick<KeyRecord, 'id' | 'monthStartsOn' | 'monthShift'>, now: Millis): Millis {
  const { anchor } = findQuotaCounter(key).window;
  return computeStartOfMonth(computeCalendarMonth(now, anchor), anchor);
}
