import { z } from 'zod';
import { count, input, object } from '@/lib/contract/resource';

/** Length of the longest window: 90 days. */
const LONGEST_WINDOW = 90 * 86_400;
const MOST_WINDOWS = 4;
/** Longest lease of a place, and longest time in which a check can be settled, in seconds. */
export const LONGEST_HOLD = 3_600;
/** Time in which a check can be settled if it names none, in seconds. */
export const SETTLE_WITHIN = 600;
/** Most named limits of one check, or of one route rule. */
export const MOST_LIMITS = 8;

/** Excludes `.` and `..`, because they would vanish from the path of a URL. */
const LIMIT_NAME = /^[a-z0-9._-]*[a-z0-9_-][a-z0-9._-]*$/;
const NAME_FAULT = 'must be 1 to 64 of a-z, 0-9, `.`, `_` and `-`, not dots alone, not `__proto__`';

export const LimitName = z
  .string()
  .max(64, NAME_FAULT)
  .regex(LIMIT_NAME, NAME_FAULT)
  // Objects in JavaScript lose a member of this name.
  .refine((name) => name !== '__proto__', NAME_FAULT)
  .describe('The name of the limit: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, not only dots, not `__proto__`.')
  .meta({ example: 'sms' });

const units = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const windowUnits = units.describe('Units in the window; 0 refuses everything.');

const LimitWindowSchema = z
  .strictObject({
    limit: windowUnits,
    seconds: z
      .union([z.int().min(1).max(LONGEST_WINDOW), z.literal('month')], {
        error: `must be a whole number from 1 to ${LONGEST_WINDOW}, or "month"`,
      })
      .describe('Length of the sliding window in seconds, at most 90 days, or `month`.'),
    day: z
      .int()
      .min(1)
      .max(31)
      .optional()
      .describe('Only with `month`: the day on which it begins, at 00:00 UTC; 1 if absent.'),
  })
  .superRefine(({ seconds, day }, context) => {
    if (day !== undefined && seconds !== 'month')
      context.addIssue({ code: 'custom', path: ['day'], message: 'is only for a month' });
  })
  .meta({ id: 'LimitWindow' });
export type LimitWindow = z.infer<typeof LimitWindowSchema>;

/** Order of windows. A month comes after every sliding window. */
export const rankWindow = ({ seconds }: LimitWindow) => (seconds === 'month' ? Number.POSITIVE_INFINITY : seconds);

/** Windows of one limit, from the shortest to the longest. All of them hold at once. */
const LimitWindows = z
  .array(LimitWindowSchema)
  .max(MOST_WINDOWS, `must be 1 to ${MOST_WINDOWS} windows`)
  .superRefine((windows, context) => {
    for (const [index, window] of windows.entries()) {
      const shorter = windows[index - 1];
      if (shorter === undefined || rankWindow(shorter) < rankWindow(window)) continue;
      const message = 'must be longer than the window before it';
      context.addIssue({ code: 'custom', path: [index, 'seconds'], message });
    }
  })
  .describe('1 to 4 windows, from the shortest to the longest. All of them hold at once.');

/** Windows in place of those of a limit. */
export const OwnWindows = LimitWindows.refine((windows) => windows.length > 0, `must be 1 to ${MOST_WINDOWS} windows`);

export const InFlightSchema = input('InFlight', {
  limit: units.describe('Places of one subject; 0 refuses everything.'),
  lease_seconds: z
    .int()
    .min(1)
    .max(LONGEST_HOLD)
    .describe('Time after which an unsettled place is free again: at most a sixtieth of it later.'),
});

const UNIT = /^[\p{L}\p{N} ._/-]{1,32}$/u;

/** Fields of a named limit that an operator sets. */
const chosen = {
  description: z.string().trim().max(500, 'must have at most 500 characters'),
  windows: LimitWindows,
  unit: z
    .string()
    .trim()
    .refine((text) => UNIT.test(text), 'must be 1 to 32 letters, digits, spaces or `._/-`')
    .describe('What it counts: `requests`, `tokens`, `bytes` or a text.'),
  in_flight: InFlightSchema.nullable().describe('Places that a check holds until it is settled; null: none.'),
  on_store_failure: z
    .enum(['closed', 'local'])
    .describe('While the counter store is down: answer 503, or decide by a per-process limiter at half the limit.'),
  tiers: z
    .strictObject({
      free: OwnWindows.optional(),
      starter: OwnWindows.optional(),
      business: OwnWindows.optional(),
      enterprise: OwnWindows.optional(),
    })
    .describe('Windows for API keys of a tier, in place of `windows`.'),
  lease: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe('Units of one hot subject that an instance may hold, for up to a second, to decide without Redis.'),
};

/** Fields of a new named limit. */
export const newLimitFields = {
  description: chosen.description.default(''),
  windows: chosen.windows.default([]),
  unit: chosen.unit.default('requests'),
  in_flight: chosen.in_flight.default(null),
  on_store_failure: chosen.on_store_failure.default('closed'),
  tiers: chosen.tiers.default({}),
  lease: chosen.lease.default(null),
};

/** Fields of a named limit that can be changed. */
export const limitPatchFields = z.strictObject(chosen).partial().shape;

/** A named limit, as it is stored. */
export const StoredNamedLimitSchema = object('NamedLimit', {
  id: z.string().describe('Names its counters. A limit that is removed and created again has another id.'),
  name: LimitName,
  ...newLimitFields,
  created_at: z.string(),
  created_by: z.string(),
});
export type StoredNamedLimit = z.output<typeof StoredNamedLimitSchema>;

export const StoredNamedLimitsSchema = z.array(StoredNamedLimitSchema);

/** Windows of one API key, by the name of the limit. */
export const KeyLimitsSchema = z
  .record(LimitName, OwnWindows)
  .refine((limits) => Object.keys(limits).length <= 100, 'must be at most 100 limits')
  .describe('Windows of named limits for this key only, by the name of the limit.');
export type KeyLimits = z.output<typeof KeyLimitsSchema>;

/** Changes of the windows of one API key. */
export const KeyLimitsPatch = z
  .record(LimitName, OwnWindows.nullable())
  .describe('Windows of named limits for this key only, by the name of the limit; null removes them. Others stay.');

/** The subject of a named limit: 1 to 256 code points without control characters. */
const SUBJECT_FAULT = 'must be 1 to 256 characters without control characters';
const FORBIDDEN = /[\p{Cc}\p{Cs}]/u;
export const LimitSubject = z
  .string()
  .refine((text) => text !== '' && [...text].length <= 256 && !FORBIDDEN.test(text), SUBJECT_FAULT)
  .describe('What the limit is counted for: 1 to 256 characters, such as a phone number.')
  .meta({ example: '+4915112345678' });

/** Cost of one request under a named limit. */
export const LimitCost = z
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('Units that the request takes, or an estimate that is settled later; default 1.');

/** Units that were really used. */
export const UsedUnits = units;

/** State of a named limit after a decision. */
export const LimitStateSchema = object('NamedLimitState', {
  name: LimitName,
  limit: count.describe('Of its tightest window, or its places.'),
  remaining: count,
  reset: count.describe('Unix seconds: when the full limit is available again if no more requests come.'),
  window_seconds: count.describe('Length of that window; 2,678,400 for a month.'),
});
export type NamedLimitState = z.infer<typeof LimitStateSchema>;
