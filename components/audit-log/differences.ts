import { diffArrays } from 'diff';
import {
  describeValue,
  formatLimit,
  formatLimitWindow,
  isLimit,
  isLimitWindow,
  lookUpName,
  nameFieldPath,
} from '@/components/audit-log/field-words';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { isJsonObject, type JsonObject } from '@/lib/json';

/** One value that a change set, altered or removed, in words. Null means that there was no value. */
export interface Difference {
  label: string;
  before: string | null;
  after: string | null;
}

/** Fields that identify a record or that its sentence already shows. */
const OMITTED = new Set(['id', 'created_at', 'created_by', 'last_used_at', 'last_sign_in_at', 'type', 'identifier']);

/**
 * Lists what changed and omits what stayed the same. Documents yield every altered value; lists yield their added,
 * removed and moved elements. Created or removed objects yield all their values.
 */
export function computeDifferences(before: unknown, after: unknown): Difference[] {
  if (Array.isArray(before) || Array.isArray(after)) return listDifferences(readList(before), readList(after));
  if (isJsonObject(before) || isJsonObject(after)) return compareFields([], before, after);
  const [old, now] = [before, after].map((value) => (value == null ? null : describeValue('', value)));
  return old === now ? [] : [{ label: 'Value', before: old ?? null, after: now ?? null }];
}

const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function compareFields(path: readonly string[], before: unknown, after: unknown): Difference[] {
  const [old, now] = [before, after].map((value) => (isJsonObject(value) ? mergeLimit(value) : {}));
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  return [...names]
    .filter((name) => path.length > 0 || !OMITTED.has(name))
    .flatMap((name) => {
      const [left, right] = [old?.[name], now?.[name]];
      const inside = [...path, name];
      if (Array.isArray(left) || Array.isArray(right)) return compareElements(inside, readList(left), readList(right));
      if (isNested(left) || isNested(right)) return compareFields(inside, left, right);
      const isNew = !isJsonObject(before);
      const isGone = !isJsonObject(after);
      // Empty fields of a created or removed object are omitted.
      if ((isNew || isGone) && (left ?? right ?? null) === null) return [];
      const words = {
        before: isNew ? null : describeValue(name, left),
        after: isGone ? null : describeValue(name, right),
      };
      return words.before === words.after ? [] : [{ label: nameFieldPath(inside), ...words }];
    });
}

const isNested = (value: unknown) => isJsonObject(value) && !isLimit(value);

/** Combines a document's limit and window into one value. */
function mergeLimit(fields: JsonObject): JsonObject {
  if (!isLimit(fields)) return fields;
  const { limit, window_seconds: window, ...rest } = fields as JsonObject;
  return { ...rest, limit: { limit, window_seconds: window } };
}

function compareElements(path: readonly string[], before: readonly unknown[], after: readonly unknown[]) {
  const label = nameFieldPath(path);
  return listDifferences(before, after).map((difference) => ({ ...difference, label }));
}

function listDifferences(before: readonly unknown[], after: readonly unknown[]): Difference[] {
  const [old, now] = [before.map(describeElement), after.map(describeElement)];
  const parts = diffArrays(old, now);
  const [removed, added] = [parts.filter((part) => part.removed), parts.filter((part) => part.added)].map((changed) =>
    changed.flatMap(({ value }) => value),
  );
  const moved = new Set(removed?.filter((words) => added?.includes(words)));
  const formatPosition = (words: string, list: readonly string[]) => `${list.indexOf(words) + 1}`;
  return [
    ...[...moved].map((words) => ({
      label: `Position of ${words}`,
      before: formatPosition(words, old),
      after: formatPosition(words, now),
    })),
    ...(removed ?? []).flatMap((words) => (moved.has(words) ? [] : [{ label: 'Removed', before: words, after: null }])),
    ...(added ?? []).flatMap((words) => (moved.has(words) ? [] : [{ label: 'Added', before: null, after: words }])),
  ];
}

/** Describes the named limits of a route rule: `, under sms by header:x-phone`. */
function describeRuleLimits(limits: unknown): string {
  const named = readList(limits).filter(isJsonObject);
  if (named.length === 0) return '';
  return `, under ${named.map(({ name, subject }) => `${String(name)} by ${String(subject)}`).join(' and ')}`;
}

/** Describes a route rule as a sentence, and any other element by its values. */
function describeElement(element: unknown): string {
  if (!isJsonObject(element)) return describeValue('', element);
  if (isLimit(element)) return formatLimit(element);
  if (isLimitWindow(element)) return formatLimitWindow(element);
  const { method, path, class: endpointClass, cost, counts, limits, ...rest } = element;
  if (typeof method === 'string' && typeof path === 'string') {
    const counted = counts === 'failures' || counts === 'successes' ? `, only ${counts} count` : '';
    const costs = typeof cost === 'number' && cost !== 1 ? `, costs ${cost}` : '';
    return `${method === '*' ? 'any method' : method} ${path} is ${lookUpName(CLASS_NAMES, endpointClass)}${costs}${counted}${describeRuleLimits(limits)}`;
  }
  return Object.entries({
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path }),
    ...(limits === undefined ? {} : { limits }),
    ...rest,
  })
    .map(([name, value]) => describeValue(name, value))
    .join(', ');
}
