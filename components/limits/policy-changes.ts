import { fieldName, isLimit, valueWords } from '@/components/audit-log/field-words';
import { changesBetween, valueAt } from '@/components/form/changes-between';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import type { Policies } from '@/lib/contract/policies';

/** One unsaved change of the policies, in words. `path` as a dry-run names it. */
export interface PolicyChange {
  path: string;
  label: string;
  before: string;
  after: string;
}

/** What `values` change of the saved policies; a limit and its window are one change. */
export function policyChanges(saved: Policies, values: Policies): PolicyChange[] {
  const paths = changesBetween(saved, values).map(({ path }) => path.replace(/\.(limit|window_seconds)$/, ''));
  return [...new Set(paths)].map((path) => {
    const parts = path.split('.');
    const [before, after] = [valueAt(saved, path), valueAt(values, path)];
    return { path, label: fieldName(parts), ...changeWords(parts.at(-1) ?? '', before, after) };
  });
}

/** `8` and `4 in 1 min` where the window stays. */
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

/** False while a number is still being typed. */
function isComplete(value: unknown): boolean {
  const numbers = isLimit(value) ? [value.limit, value.window_seconds] : [value];
  return numbers.every((number) => number !== null && !Number.isNaN(number));
}
