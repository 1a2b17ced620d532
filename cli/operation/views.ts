import type { Output } from '@/cli/output/output';
import { relativeTime } from '@/cli/output/relative-time';
import { isRow, type Row } from '@/cli/output/rows';

/** How a person sees the answers of an operation, where a table or a member on each line is not the best. */
type View = (answer: Row, output: Output) => Promise<void>;

const row = (value: unknown): Row => (isRow(value) ? value : {});
const rows = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/** Unix seconds as the API writes times. */
function fromSeconds(value: unknown): string | null {
  return typeof value === 'number' ? new Date(value * 1000).toISOString() : null;
}

/** "until 2026-12-01T00:00:00.000Z (in 8 days)", or that there is no end. */
function untilWords(value: unknown, { options: { now } }: Output): string {
  return typeof value === 'string' ? `until ${value} (${relativeTime(value, now())})` : 'until it is removed';
}

/** A member on each line, and that a secret in it is not shown again. */
const withSecret: View = async (answer, output) => {
  await output.show(answer);
  output.note(output.paintNote('yellow', 'The secret is shown this once: keep it now.'));
};

function verdict({ allowed, error, error_description: why, status }: Row, { paint }: Output): string {
  if (allowed !== true) return paint('red', `Refused: ${error}${typeof why === 'string' ? `. ${why}` : ''}`);
  return paint('green', status === 'bypassed' ? 'Allowed: the allowlist bypasses rate limiting.' : 'Allowed.');
}

const LIMIT_COLUMNS = ['used', 'limit', 'remaining', 'window', 'reset', 'source'];

/** How a limit stands, as a row of a table. */
function standing(limit: Row): Row {
  const { window_seconds: seconds, source, reset } = limit;
  const window = typeof seconds === 'number' ? `${seconds} s` : 'month';
  return { ...limit, window, reset: fromSeconds(reset), source: row(source).detail ?? null };
}

const explanation: View = async (answer, output) => {
  const { class_source, subjects, quota, decision, cost } = answer;
  await output.line(verdict(row(decision), output));
  await output.line(`class ${answer.class}, cost ${cost}: ${row(class_source).detail}`);
  const limits = rows(subjects).map((subject) => ({ ...standing(subject), bypass: isRow(subject.bypass) }));
  const monthly = isRow(quota) ? [{ ...standing(quota), subject: 'quota', identifier: quota.name }] : [];
  await output.table([...limits, ...monthly], ['subject', 'identifier', 'refuses', 'bypass', ...LIMIT_COLUMNS]);
};

const inspection: View = async ({ type, identifier, name, bypass, counters, quota }, output) => {
  await output.line(output.paint('bold', `${type} ${identifier}${typeof name === 'string' ? ` (${name})` : ''}`));
  if (isRow(bypass)) {
    const { identifier: entry, reason, expires_at } = bypass;
    await output.line(
      output.paint('yellow', `On the allowlist as ${entry} ${untilWords(expires_at, output)}: ${reason}`),
    );
  }
  const monthly = isRow(quota) ? [{ ...standing(quota), class: 'quota' }] : [];
  await output.table([...rows(counters).map(standing), ...monthly], ['class', ...LIMIT_COLUMNS]);
};

/** By the id of the operation. */
export const VIEWS: Readonly<Record<string, View>> = {
  addAllowlistEntry: ({ identifier, expires_at }, output) =>
    output.line(`${identifier} bypasses rate limiting ${untilWords(expires_at, output)}.`),
  createApiKey: withSecret,
  rotateApiKey: withSecret,
  createToken: withSecret,
  check: async (answer, output) => {
    await output.line(verdict(answer, output));
    const { allowed: _, error: __, error_description: ___, status: ____, ...rest } = answer;
    await output.show({ ...rest, reset: fromSeconds(rest.reset) });
  },
  explainDecision: explanation,
  inspectCounters: inspection,
};
