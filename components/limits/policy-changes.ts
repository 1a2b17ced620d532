import { describeValue, isLimit, nameFieldPath } from '@/components/audit-log/field-words';
import { findValueAt, listValueChanges } from '@/components/form/draft/changes-between';
import { formatWindow } from '@/components/format/duration';
import type { Policies } from '@/lib/contract/policies';
import { formatNumber } from '@/lib/format-number';

/** One unsaved change of the policies, in words. `path` is named as in a dry run. */
export interface PolicyChange {
  path: string;
  label: string;
  before: string;
  after: string;
}

/** Lists the differences between saved policies and `values`. A limit and its window are one change. */
export function listPolicyChanges(saved: Policies, values: Policies): PolicyChange[] {
  const paths = listValueChanges(saved, values).map(({ path }) => path.replace(/\.(limit|window_seconds)$/, ''));
  return [...new Set(paths)].map((path) => {
    const parts = path.split('.');
    const [before, after] = [findValueAt(saved, path), findValueAt(values, path)];
    return { path, label: nameFieldPath(parts), ...describeChange(parts.at(-1) ?? '', before, after) };
  });
}

/** Formats a change of a limit: both values, and the window with the new value if only the limit changes. */
function describeChange(field: string, before: unknown, after: unknown): { before: string; after: string } {
  if (!isComplete(after)) return { before: describeValue(field, before), after: '…' };
  if (isLimit(before) && isLimit(after) && before.window_seconds === after.window_seconds) {
    return {
      before: formatNumber(before.limit),
      after: `${formatNumber(after.limit)} in ${formatWindow(after.window_seconds)}`,
    };
  }
  return { before: describeValue(field, before), after: describeValue(field, after) };
}

/** False while a number is incomplete. */
function isComplete(value: unknown): boolean {
  const numbers = isLimit(value) ? [value.limit, value.window_seconds] : [value];
  return numbers.every((number) => number !== null && !Number.isNaN(number));
}

/** Names a field of the form: "Auth, per address, window". */
export function namePolicyField(path: string): string {
  const parts = path.split('.');
  const last = parts.at(-1);
  if (last !== 'limit' && last !== 'window_seconds') return nameFieldPath(parts);
  return `${nameFieldPath(parts.slice(0, -1))}, ${last === 'limit' ? 'requests' : 'window'}`;
}
