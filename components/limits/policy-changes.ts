import { fieldName, isLimit, valueWords } from '@/components/audit-log/field-words';
import { changesBetween, valueAt } from '@/components/form/changes-between';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import type { Policies } from '@/lib/contract/policies';

/** One unsaved change of the policies, in words. `path` is named as in a dry run. */
export interface PolicyChange {
  path: string;
  label: string;
  before: string;
  after: string;
}

/** Lists the differences between saved policies and `values`. A limit and its window are one change. */
export function policyChanges(saved: Policies, values: Policies): PolicyChange[] {
  const paths = changesBetween(saved, values).map(({ path }) => path.replace(/\.(limit|window_seconds)$/, ''));
  return [...new Set(paths)].map((path) => {
    const parts = path.split('.');
    const [before, after] = [valueAt(saved, path), valueAt(values, path)];
    return { path, label: fieldName(parts), ...changeWords(parts.at(-1) ?? '', before, after) };
  });
}

/** Formats a change of a limit: both values, and the window with the new value if only the limit changes. */
function changeWords(field: string, before: unknown, after: unknown): { before: string; after: string } {
  if (!isComplete(after)) return { before: valueWords(field, before), after: '…' };
  if (isLimit(before) && isLimit(after) && before.window_seconds === after.window_seconds) {
    return {
      before: formatNumber(before.limit),
      after: `${formatNumber(after.limit)} in ${formatWindow(after.window_seconds)}`,
    };
  }
  return { before: valueWords(field, before), after: valueWords(field, after) };
}

/** False while a number is incomplete. */
function isComplete(value: unknown): boolean {
  const numbers = isLimit(value) ? [value.limit, value.window_seconds] : [value];
  return numbers.every((number) => number !== null && !Number.isNaN(number));
}
