import { MAX_POINTS } from '@/lib/contract/fields/step';
import { createInvalidField } from '@/lib/http/input';
import { findStart } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

const DEFAULT_POINTS = 60;
/** Usual steps of a chart, in seconds. The default is the shortest step that needs at most 120 points. */
const USUAL_STEPS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const COMFORTABLE_POINTS = 120;

/** Determines the range and the step of the statistics. @throws ApiError invalid_request */
export function findSpan(
  query: { from?: Millis | undefined; to?: Millis | undefined; step?: number | undefined },
  now: Millis,
): { from: Millis; to: Millis; step: number } {
  const end = query.to ?? Math.max(now, query.from ?? now);
  if (query.from !== undefined && query.from >= end) throw createInvalidField('from', 'must lie before to');
  const step = query.step ?? (query.from === undefined ? 60 : findUsualStep(end - query.from));
  const length = step * 1_000;
  const to = findStart(end + length - 1, length);
  const from = query.from === undefined ? to - DEFAULT_POINTS * length : findStart(query.from, length);
  if ((to - from) / length > MAX_POINTS) throw createInvalidField('step', `makes more than ${MAX_POINTS} points`);
  return { from, to, step };
}

function findUsualStep(length: Millis): number {
  return USUAL_STEPS.find((step) => length / (step * 1_000) <= COMFORTABLE_POINTS) ?? 604_800;
}
