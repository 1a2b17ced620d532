import { z } from 'zod';
import { type QuotaTier, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import {
  LimitName,
  type LimitWindow,
  LONGEST_HOLD,
  newLimitFields,
  rankWindow,
} from '@/lib/contract/fields/named-limit';
import type { NamedLimit, NewNamedLimit } from '@/lib/contract/named-limits';

/** Most windows of one limit. */
export const MOST_WINDOWS = 4;
/** Longest window, in days. */
const LONGEST_DAYS = 90;

const WHOLE = 'Enter a whole number.';
const WholeNumber = z.number(WHOLE).int(WHOLE).min(0, 'At least 0.').max(Number.MAX_SAFE_INTEGER, 'Too large.');

const WindowRow = z.object({
  limit: WholeNumber,
  seconds: z.union(
    [
      z
        .int()
        .min(1)
        .max(LONGEST_DAYS * 86_400),
      z.literal('month'),
    ],
    {
      error: `Enter 1 s to ${LONGEST_DAYS} d, in whole seconds.`,
    },
  ),
  day: z.int('Enter a day, 1 to 31.').min(1, 'At least 1.').max(31, 'At most 31.'),
});
/** One window in a form. `day` applies only to a month. */
export type WindowValues = z.input<typeof WindowRow>;

/** Windows in a form, in any order. */
export const WindowRows = z
  .array(WindowRow)
  .max(MOST_WINDOWS, `At most ${MOST_WINDOWS} windows.`)
  .superRefine((rows, context) => {
    for (const [index, { seconds }] of rows.entries()) {
      const first = rows.findIndex((row) => row.seconds === seconds);
      const message = 'Another window is as long.';
      if (first !== index) context.addIssue({ code: 'custom', path: [index, 'seconds'], message });
    }
  });

export const Places = z.object({
  limit: WholeNumber,
  lease_seconds: z
    .int(`Enter 1 s to ${LONGEST_HOLD / 60} min.`)
    .min(1, 'At least 1 s.')
    .max(LONGEST_HOLD, 'At most 1 h.'),
});

const tiers = Object.fromEntries(QuotaTierSchema.options.map((tier) => [tier, WindowRows])) as Record<
  QuotaTier,
  typeof WindowRows
>;

const { description, unit, on_store_failure } = newLimitFields;

const Fields = z.object({
  name: z.string().refine((name) => LimitName.safeParse(name).success, 'Use 1 to 64 of a-z, 0-9, ".", "_" and "-".'),
  description: description.unwrap(),
  unit: unit.unwrap(),
  windows: WindowRows,
  in_flight: Places.nullable(),
  on_store_failure: on_store_failure.unwrap(),
  tiers: z.object(tiers),
  lease: z.int('Enter a whole number from 1 to 1,000,000, or nothing.').min(1).max(1_000_000).nullable(),
  reason: z.string(),
});
export type LimitValues = z.input<typeof Fields>;

/** The form of a named limit. */
export const LimitForm = Fields.superRefine(({ windows, in_flight: places }, context) => {
  if (windows.length > 0 || places !== null) return;
  context.addIssue({ code: 'custom', path: ['windows'], message: 'Add a window, or places in flight.' });
});

/** Returns the values of a form for windows. */
export const buildWindowValues = (windows: readonly LimitWindow[]): WindowValues[] =>
  windows.map((window) => ({ day: 1, ...window }));

/** Converts the windows of a form for the API: from the shortest to the longest. */
export function buildWindows(rows: readonly WindowValues[]): LimitWindow[] {
  return rows
    .map(({ limit, seconds, day }) => ({ limit, seconds, ...(seconds === 'month' && day !== 1 ? { day } : {}) }))
    .sort((a, b) => rankWindow(a) - rankWindow(b));
}

/** Returns the values of the form for a limit, or for a template of one. */
export function buildLimitValues(limit: Partial<NamedLimit>): LimitValues {
  const { name = '', windows = [], in_flight = null, unit = 'requests', lease = null } = limit;
  return {
    name,
    description: limit.description ?? '',
    unit,
    windows: buildWindowValues(windows),
    in_flight,
    on_store_failure: limit.on_store_failure ?? 'closed',
    tiers: Object.fromEntries(
      QuotaTierSchema.options.map((tier) => [tier, buildWindowValues(limit.tiers?.[tier] ?? [])]),
    ) as LimitValues['tiers'],
    lease,
    reason: '',
  };
}

/** Converts the values of the form for the API. A tier without windows uses those of the limit. */
export function buildNamedLimit(values: Omit<LimitValues, 'reason'>): NewNamedLimit {
  const own = Object.entries(values.tiers).filter(([, rows]) => rows.length > 0);
  return {
    ...values,
    windows: buildWindows(values.windows),
    tiers: Object.fromEntries(own.map(([tier, rows]) => [tier, buildWindows(rows)])),
  };
}
