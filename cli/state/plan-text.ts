import { formatCell } from '@/cli/output/cell';
import type { Paint } from '@/cli/output/colour';
import type { StateChange } from '@/lib/contract/state';

/** A change as the API returns it. A preview has its action as its kind. */
export interface PlannedChange extends Omit<StateChange, 'kind'> {
  kind: string;
}

const SIGNS = { create: ['+', 'green'], update: ['~', 'yellow'], delete: ['-', 'red'] } as const;

const formatExactCell = (value: unknown) => formatCell(value, { now: null });

/** Formats the changes of a plan line by line, with totals. */
export function formatPlan(changes: readonly PlannedChange[], paint: Paint): string {
  return [...changes.map((change) => formatChange(change, paint)), summarizeChanges(changes)].join('\n');
}

/** Formats one change line by line, with the affected traffic. */
export function formatChange(change: PlannedChange, paint: Paint): string {
  const [sign, colour] = SIGNS[change.action];
  const name = change.kind === change.id ? change.kind : `${change.kind} ${formatExactCell(change.id)}`;
  const effect = change.effect === undefined ? [] : [`    ${paint('cyan', formatExactCell(change.effect))}`];
  return [paint(colour, `${sign} ${name}`), ...formatLines(change, paint), ...effect].join('\n');
}

/** Summarizes changes: "2 to create, 1 to delete". */
export function summarizeChanges(changes: readonly PlannedChange[]): string {
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} to ${action}`];
  });
  return counts.length === 0 ? 'Nothing to change.' : `${counts.join(', ')}.`;
}

function formatLines({ action, before, after }: PlannedChange, paint: Paint): string[] {
  if (Array.isArray(before) && Array.isArray(after)) return listLines(before, after, paint);
  const old = collectLeaves(before);
  const now = collectLeaves(after);
  if (action !== 'update') {
    const [sign, colour] = SIGNS[action];
    const leaves = [...(action === 'create' ? now : old)].filter(([, value]) => value !== null);
    return leaves.map(([path, value]) => paint(colour, `    ${sign} ${path}: ${formatExactCell(value)}`));
  }
  return formatDifferences(before, after, paint).map((line) => `    ${line}`);
}

/** Lists the changed members with both values. */
export function formatDifferences(before: unknown, after: unknown, paint: Paint): string[] {
  const old = collectLeaves(before);
  const now = collectLeaves(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(now.get(path)))
    .map(
      (path) =>
        `${path}: ${paint('red', formatExactCell(old.get(path)))} -> ${paint('green', formatExactCell(now.get(path)))}`,
    );
}

/** Lists the innermost members by path. */
function collectLeaves(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Map(path === '' ? [] : [[path, value]]);
  }
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [
      ...collectLeaves(member, path === '' ? name : `${path}.${name}`),
    ]),
  );
}

/** Lists added and removed elements. If both lists have the same elements, their order changed. */
function listLines(before: readonly unknown[], after: readonly unknown[], paint: Paint): string[] {
  const count = (list: readonly string[], line: string) => list.filter((other) => other === line).length;
  const [old, now] = [before, after].map((list) => list.map(formatElement)) as [string[], string[]];
  const gone = old.filter((line, index) => count(old.slice(0, index + 1), line) > count(now, line));
  const added = now.filter((line, index) => count(now.slice(0, index + 1), line) > count(old, line));
  if (gone.length === 0 && added.length === 0) return ['    in another order'];
  return [
    ...gone.map((line) => paint('red', `    - ${line}`)),
    ...added.map((line) => paint('green', `    + ${line}`)),
  ];
}

function formatElement(element: unknown): string {
  return [...collectLeaves(element)].map(([name, value]) => `${name}: ${formatExactCell(value)}`).join(', ');
}
