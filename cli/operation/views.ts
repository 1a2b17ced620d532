import type { Output } from '@/cli/output/output';
import { formatRelativeTime } from '@/cli/output/relative-time';
import { isRow, type Row } from '@/cli/output/rows';

/** Prints an answer for a person, if neither a table nor one member per line is suitable. */
type View = (answer: Row, output: Output, ask: Ask) => Promise<void>;
/** Calls another operation about the same object. */
type Ask = (id: string) => Promise<Row | null>;

const readRow = (value: unknown): Row => (isRow(value) ? value : {});
const filterRows = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/** Converts Unix seconds to RFC 3339, as the API writes times. */
function convertSeconds(value: unknown): string | null {
  return typeof value === 'number' ? new Date(value * 1000).toISOString() : null;
}

/** Formats an end: "until 2026-12-01T00:00:00.000Z (in 8 days)", or that there is none. */
function formatUntil(value: unknown, { options: { now } }: Output): string {
  return typeof value === 'string' ? `until ${value} (${formatRelativeTime(value, now())})` : 'until it is removed';
}

/** Prints one member per line and notes that the secret is shown only once. */
const showSecret: View = async (answer, output) => {
  await output.show(answer);
  output.note(output.paintNote('yellow', 'The secret is shown this once: keep it now.'));
};

function formatVerdict({ allowed, error, error_description: why, status }: Row, { paint }: Output): string {
  if (allowed !== true) return paint('red', `Refused: ${error}${typeof why === 'string' ? `. ${why}` : ''}`);
  return paint('green', status === 'bypassed' ? 'Allowed: the allowlist bypasses rate limiting.' : 'Allowed.');
}

const LIMIT_COLUMNS = ['used', 'limit', 'remaining', 'window', 'reset', 'source'];
/** Columns that a narrow terminal omits. */
const DROP = ['remaining', 'window', 'bypass'];

const UNUSED = ['used', 'source', 'window'];

/** Converts a limit and its usage to a table row. */
function describeLimit(limit: Row): Row {
  const { window_seconds: seconds, source, reset } = limit;
  const window = typeof seconds === 'number' ? `${seconds} s` : 'month';
  return { ...limit, window, reset: convertSeconds(reset), source: readRow(source).detail ?? null };
}

const printExplanation: View = async (answer, output) => {
  const { class_source, subjects, quota, decision, cost } = answer;
  await output.printLine(formatVerdict(readRow(decision), output));
  for (const { bypass } of filterRows(subjects))
    if (isRow(bypass)) await output.printLine(formatBypass(bypass, output));
  if (answer.class !== null)
    await output.printLine(`class ${answer.class}, cost ${cost}: ${readRow(class_source).detail}`);
  const limits = filterRows(subjects).map((subject) => ({
    ...describeLimit(subject),
    subject: subject.limit_name ?? subject.subject,
    bypass: isRow(subject.bypass),
  }));
  const monthly = isRow(quota) ? [{ ...describeLimit(quota), subject: 'quota', identifier: quota.name }] : [];
  await output.printTable(
    [...limits, ...monthly],
    ['subject', 'identifier', 'refuses', 'bypass', ...LIMIT_COLUMNS],
    DROP,
  );
};

/** Names the allowlist entry that bypasses rate limiting, with end and reason. */
function formatBypass({ identifier, reason, expires_at: end }: Row, output: Output): string {
  return output.paint('yellow', `On the allowlist as ${identifier} ${formatUntil(end, output)}: ${reason}`);
}

const printInspection: View = async ({ type, identifier, name, bypass, counters, quota }, output) => {
  await output.printLine(output.paint('bold', `${type} ${identifier}${typeof name === 'string' ? ` (${name})` : ''}`));
  if (isRow(bypass)) {
    await output.printLine(formatBypass(bypass, output));
  }
  const monthly = isRow(quota) ? [{ ...describeLimit(quota), class: 'quota' }] : [];
  const counted = filterRows(counters).map((counter) => ({
    ...describeLimit(counter),
    class: counter.limit_name ?? counter.class,
  }));
  await output.printTable([...counted, ...monthly], ['class', ...LIMIT_COLUMNS], DROP);
};

const OUTCOMES = ['allowed', 'refused', 'bypassed', 'degraded', 'observed'];

/** Prints statistics without columns, classes and steps that are all zero. */
const printStatistics: View = async ({ from, to, step, totals, points, top_refused: top }, output) => {
  const counted = readRow(totals);
  const outcomes = OUTCOMES.filter((outcome) => Number(counted[outcome] ?? 0) > 0);
  const isUsed = (counts: Row) => outcomes.some((outcome) => Number(counts[outcome] ?? 0) > 0);
  await output.printLine(`From ${from} to ${to}, by ${step} s; what is left out is 0.`);
  if (outcomes.length === 0) return output.printLine('No decisions.');
  const { paint } = output;
  const classes = Object.entries(readRow(counted.classes)).map(([name, counts]) => ({
    class: name,
    ...readRow(counts),
  }));
  await output.printTable([...classes.filter(isUsed), { class: 'all', ...counted }], ['class', ...outcomes]);
  const reasons = Object.entries(readRow(counted.reasons)).map(([reason, refused]) => ({ reason, refused }));
  const sections: [title: string, rows: Row[], columns: string[]][] = [
    ['Refusals', reasons, ['reason', 'refused']],
    ['Refused most', filterRows(top), ['type', 'identifier', 'api_key_name', 'refused']],
    ['Over time', filterRows(points).filter(isUsed), ['start', ...outcomes]],
  ];
  for (const [title, shown, columns] of sections) {
    if (shown.length === 0) continue;
    await output.printLine(`\n${paint('bold', title)}`);
    await output.printTable(shown, columns);
  }
};

/** Formats bounds: "80", or "80 to 90" if they differ. */
function formatBounds(bounds: unknown): string {
  const { at_least: least, at_most: most } = readRow(bounds);
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Prints a replay. Requests are counted in decisions, limits in units. */
const printReplay: View = async ({ from, to, requests, refused, limits, not_replayed: others, warning }, output) => {
  await output.printLine(`From ${from} to ${to}: ${requests} requests, of which ${refused} were refused.`);
  const shown = filterRows(limits).map((limit) => ({
    limit: limit.path,
    units: limit.requests,
    refused_today: formatBounds(limit.in_force),
    refused_then: formatBounds(limit.changed),
    unknown: limit.requests_not_followed,
  }));
  if (shown.length > 0) {
    await output.printLine('Replayed, in units: a request counts as much as it costs.');
    await output.printTable(shown, ['limit', 'units', 'refused_today', 'refused_then', 'unknown'], ['unknown']);
  }
  const most = filterRows(limits).flatMap(({ path, most_refused: hit }) =>
    filterRows(hit).map(({ identifier, api_key_name: name, ...bounds }) => ({
      limit: path,
      identifier: name ?? identifier,
      refused_then: formatBounds(bounds),
    })),
  );
  if (most.length > 0) {
    await output.printLine(`\n${output.paint('bold', 'Refused most')}`);
    await output.printTable(most, ['limit', 'identifier', 'refused_then']);
  }
  if (Array.isArray(others) && others.length > 0) await output.printLine(`Not replayed: ${others.join(', ')}.`);
  if (typeof warning === 'string') await output.printLine(output.paint('yellow', warning));
};

/** Views by operation id. */
export const VIEWS: Readonly<Record<string, View>> = {
  addAllowlistEntry: ({ identifier, expires_at }, output) =>
    output.printLine(`${identifier} bypasses rate limiting ${formatUntil(expires_at, output)}.`),
  createApiKey: showSecret,
  rotateApiKey: showSecret,
  createToken: showSecret,
  check: async (answer, output, ask) => {
    await output.printLine(formatVerdict(answer, output));
    if (answer.status === 'bypassed') {
      const { subjects } = (await ask('explainDecision')) ?? {};
      for (const { bypass } of filterRows(subjects))
        if (isRow(bypass)) await output.printLine(formatBypass(bypass, output));
    }
    const { allowed: _, error: __, error_description: ___, status: ____, limits, ...rest } = answer;
    const quota = isRow(rest.quota) ? { quota: { ...rest.quota, reset: convertSeconds(rest.quota.reset) } } : {};
    await output.show({ ...rest, reset: convertSeconds(rest.reset), ...quota });
    if (Array.isArray(limits))
      await output.printTable(filterRows(limits).map(describeLimit), ['name', ...LIMIT_COLUMNS], UNUSED);
  },
  explainDecision: printExplanation,
  inspectCounters: printInspection,
  readStatistics: printStatistics,
  dryRunPolicies: printReplay,
};
