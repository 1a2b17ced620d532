import type { Output } from '@/cli/output/output';
import { relativeTime } from '@/cli/output/relative-time';
import { isRow, type Row } from '@/cli/output/rows';

/** Prints an answer for a person, where neither a table nor one member per line is suitable. */
type View = (answer: Row, output: Output, ask: Ask) => Promise<void>;
/** Calls another operation about the same object. */
type Ask = (id: string) => Promise<Row | null>;

const row = (value: unknown): Row => (isRow(value) ? value : {});
const rows = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/** Converts Unix seconds to RFC 3339, as the API writes times. */
function convertSeconds(value: unknown): string | null {
  return typeof value === 'number' ? new Date(value * 1000).toISOString() : null;
}

/** Formats an end: "until 2026-12-01T00:00:00.000Z (in 8 days)", or that there is none. */
function formatUntil(value: unknown, { options: { now } }: Output): string {
  return typeof value === 'string' ? `until ${value} (${relativeTime(value, now())})` : 'until it is removed';
}

/** Prints one member per line and notes that the secret is shown only once. */
const showSecret: View = async (answer, output) => {
  await output.show(answer);
  output.note(output.paintNote('yellow', 'The secret is shown this once: keep it now.'));
};

function verdict({ allowed, error, error_description: why, status }: Row, { paint }: Output): string {
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
  return { ...limit, window, reset: convertSeconds(reset), source: row(source).detail ?? null };
}

const explanation: View = async (answer, output) => {
  const { class_source, subjects, quota, decision, cost } = answer;
  await output.line(verdict(row(decision), output));
  for (const { bypass } of rows(subjects)) if (isRow(bypass)) await output.line(bypassLine(bypass, output));
  if (answer.class !== null) await output.line(`class ${answer.class}, cost ${cost}: ${row(class_source).detail}`);
  const limits = rows(subjects).map((subject) => ({
    ...describeLimit(subject),
    subject: subject.limit_name ?? subject.subject,
    bypass: isRow(subject.bypass),
  }));
  const monthly = isRow(quota) ? [{ ...describeLimit(quota), subject: 'quota', identifier: quota.name }] : [];
  await output.table([...limits, ...monthly], ['subject', 'identifier', 'refuses', 'bypass', ...LIMIT_COLUMNS], DROP);
};

/** Names the allowlist entry that bypasses rate limiting, with end and reason. */
function bypassLine({ identifier, reason, expires_at: end }: Row, output: Output): string {
  return output.paint('yellow', `On the allowlist as ${identifier} ${formatUntil(end, output)}: ${reason}`);
}

const inspection: View = async ({ type, identifier, name, bypass, counters, quota }, output) => {
  await output.line(output.paint('bold', `${type} ${identifier}${typeof name === 'string' ? ` (${name})` : ''}`));
  if (isRow(bypass)) {
    await output.line(bypassLine(bypass, output));
  }
  const monthly = isRow(quota) ? [{ ...describeLimit(quota), class: 'quota' }] : [];
  const counted = rows(counters).map((counter) => ({
    ...describeLimit(counter),
    class: counter.limit_name ?? counter.class,
  }));
  await output.table([...counted, ...monthly], ['class', ...LIMIT_COLUMNS], DROP);
};

const OUTCOMES = ['allowed', 'refused', 'bypassed', 'degraded', 'observed'];

/** Prints statistics without columns, classes and steps that are all zero. */
const statistics: View = async ({ from, to, step, totals, points, top_refused: top }, output) => {
  const counted = row(totals);
  const outcomes = OUTCOMES.filter((outcome) => Number(counted[outcome] ?? 0) > 0);
  const isUsed = (counts: Row) => outcomes.some((outcome) => Number(counts[outcome] ?? 0) > 0);
  await output.line(`From ${from} to ${to}, by ${step} s; what is left out is 0.`);
  if (outcomes.length === 0) return output.line('No decisions.');
  const { paint } = output;
  const classes = Object.entries(row(counted.classes)).map(([name, counts]) => ({ class: name, ...row(counts) }));
  await output.table([...classes.filter(isUsed), { class: 'all', ...counted }], ['class', ...outcomes]);
  const reasons = Object.entries(row(counted.reasons)).map(([reason, refused]) => ({ reason, refused }));
  const sections: [title: string, rows: Row[], columns: string[]][] = [
    ['Refusals', reasons, ['reason', 'refused']],
    ['Refused most', rows(top), ['type', 'identifier', 'api_key_name', 'refused']],
    ['Over time', rows(points).filter(isUsed), ['start', ...outcomes]],
  ];
  for (const [title, shown, columns] of sections) {
    if (shown.length === 0) continue;
    await output.line(`\n${paint('bold', title)}`);
    await output.table(shown, columns);
  }
};

/** Formats bounds: "80", or "80 to 90" if they differ. */
function span(bounds: unknown): string {
  const { at_least: least, at_most: most } = row(bounds);
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Prints a replay. Requests are counted in decisions, limits in units. */
const replay: View = async ({ from, to, requests, refused, limits, not_replayed: others }, output) => {
  await output.line(`From ${from} to ${to}: ${requests} requests, of which ${refused} were refused.`);
  const shown = rows(limits).map((limit) => ({
    limit: limit.path,
    units: limit.requests,
    refused_today: span(limit.in_force),
    refused_then: span(limit.changed),
    unknown: limit.requests_not_followed,
  }));
  if (shown.length > 0) {
    await output.line('Replayed, in units: a request counts as much as it costs.');
    await output.table(shown, ['limit', 'units', 'refused_today', 'refused_then', 'unknown'], ['unknown']);
  }
  const most = rows(limits).flatMap(({ path, most_refused: hit }) =>
    rows(hit).map(({ identifier, api_key_name: name, ...bounds }) => ({
      limit: path,
      identifier: name ?? identifier,
      refused_then: span(bounds),
    })),
  );
  if (most.length > 0) {
    await output.line(`\n${output.paint('bold', 'Refused most')}`);
    await output.table(most, ['limit', 'identifier', 'refused_then']);
  }
  if (Array.isArray(others) && others.length > 0) await output.line(`Not replayed: ${others.join(', ')}.`);
};

/** Views by operation id. */
export const VIEWS: Readonly<Record<string, View>> = {
  addAllowlistEntry: ({ identifier, expires_at }, output) =>
    output.line(`${identifier} bypasses rate limiting ${formatUntil(expires_at, output)}.`),
  createApiKey: showSecret,
  rotateApiKey: showSecret,
  createToken: showSecret,
  check: async (answer, output, ask) => {
    await output.line(verdict(answer, output));
    if (answer.status === 'bypassed') {
      const { subjects } = (await ask('explainDecision')) ?? {};
      for (const { bypass } of rows(subjects)) if (isRow(bypass)) await output.line(bypassLine(bypass, output));
    }
    const { allowed: _, error: __, error_description: ___, status: ____, limits, ...rest } = answer;
    const quota = isRow(rest.quota) ? { quota: { ...rest.quota, reset: convertSeconds(rest.quota.reset) } } : {};
    await output.show({ ...rest, reset: convertSeconds(rest.reset), ...quota });
    if (Array.isArray(limits)) await output.table(rows(limits).map(describeLimit), ['name', ...LIMIT_COLUMNS], UNUSED);
  },
  explainDecision: explanation,
  inspectCounters: inspection,
  readStatistics: statistics,
  dryRunPolicies: replay,
};
