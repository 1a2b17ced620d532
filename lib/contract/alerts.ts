import { z } from 'zod';
import { declarePage, MAX_PAGE, oneOrMore, pageParameters, searchIn, sortParameter } from '@/lib/contract/fields/list';
import { MANAGED_HEADERS } from '@/lib/contract/fields/managed';
import { ExpiryInput, TimestampSchema } from '@/lib/contract/fields/timestamp';
import { declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

/** Kinds of alerts, as webhooks name them. The event that ends an alert has the suffix `.resolved`. */
export const ALERT_EVENTS = [
  'quota.threshold',
  'quota.forecast',
  'refusals.burst',
  'exception.ending',
  'bypass.share',
  'store.down',
  'clock.skew',
] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

const enabled = z.boolean().default(true).describe('`false` sends no alerts, and resolves open ones.');
const createCount = (most: number) => z.int().min(1).max(most);

/** Percents of a quota, unique and ascending. */
const percents = z
  .array(createCount(1_000))
  .min(1)
  .max(10)
  .transform((list) => [...new Set(list)].sort((a, b) => a - b));

/** Sections of the settings. Absent members take the values of a fresh installation. */
const sections = {
  quota_threshold: input('QuotaThresholdAlert', {
    enabled,
    percent: percents.default([80, 100]).describe('Shares of the monthly limit of a key, in percent.'),
  }),
  quota_forecast: input('QuotaForecastAlert', {
    enabled,
    days: createCount(31).default(7).describe('A key is reported if its quota runs out within this many days.'),
  }),
  refusals_burst: input('RefusalsBurstAlert', {
    enabled,
    refusals: createCount(1_000_000_000)
      .default(300)
      .describe('Refusals of one identifier, or of one subject by a named limit ...'),
    minutes: createCount(60).default(5).describe('... within so many minutes.'),
  }),
  exception_ending: input('ExceptionEndingAlert', {
    enabled,
    hours: createCount(720)
      .default(24)
      .describe('Hours before its end. Exemptions that last no longer than that are left out.'),
  }),
  bypass_share: input('BypassShareAlert', {
    enabled,
    percent: createCount(100).default(20).describe('Share of the requests that bypass the limits, in percent ...'),
    minutes: createCount(60).default(10).describe('... within so many minutes ...'),
    requests: createCount(1_000_000_000).default(100).describe('... of at least so many requests.'),
  }),
  store_down: input('StoreDownAlert', {
    enabled,
    seconds: createCount(3_600)
      .default(15)
      .describe(
        'How long the database or the counter store must have been down. A counter store that fails intermittently is reported at once, as `state: degraded`.',
      ),
  }),
  clock_skew: input('ClockSkewAlert', {
    enabled,
    seconds: createCount(3_600)
      .default(2)
      .describe('How far the clock of the counter store may be off the one of an instance.'),
  }),
};

const { quota_threshold, quota_forecast, refusals_burst, exception_ending, bypass_share, store_down, clock_skew } =
  sections;
const defaultToMembers = <S extends z.ZodType>(schema: S) => schema.prefault({} as z.input<S>);

export const AlertSettingsSchema = input('AlertSettings', {
  quota_threshold: defaultToMembers(quota_threshold),
  quota_forecast: defaultToMembers(quota_forecast),
  refusals_burst: defaultToMembers(refusals_burst),
  exception_ending: defaultToMembers(exception_ending),
  bypass_share: defaultToMembers(bypass_share),
  store_down: defaultToMembers(store_down),
  clock_skew: defaultToMembers(clock_skew),
});
/** Settings of the alerts that Sluice sends. */
export type AlertSettings = z.output<typeof AlertSettingsSchema>;

/** The sections of settings that a state document names. Each section is complete. */
export const AlertsState = z.strictObject(sections).partial().meta({ id: 'AlertsState' });
export type AlertsState = z.output<typeof AlertsState>;

/** Settings of a fresh installation. */
export const DEFAULT_ALERT_SETTINGS: AlertSettings = AlertSettingsSchema.parse({});

const alerts = resource('/v1/admin/alerts', { tag: 'Alerts' });

export const getAlertSettings = alerts.get('getAlertSettings', 'viewer', {
  command: 'alerts get',
  summary: 'Read the alert settings',
  response: ok('The settings.', AlertSettingsSchema, { ETag: 'For `If-Match` of a change.', ...MANAGED_HEADERS }),
});

export const putAlertSettings = alerts.put('putAlertSettings', 'owner', {
  command: 'alerts set',
  reason: 'query',
  summary: 'Set the alert settings',
  description:
    'Replaces all settings. Absent members take the values of a fresh installation. Every instance applies them within a minute. An alert that was sent is not sent again.',
  body: json(AlertSettingsSchema),
  example: { body: { quota_threshold: { percent: [50, 90] }, quota_forecast: { days: 3 } } },
  response: ok('The settings.', AlertSettingsSchema, { ETag: 'For `If-Match` of the next change.' }),
  conditional: true,
});

const AlertSchema = object('Alert', {
  id: z.uuid(),
  event: z.enum(ALERT_EVENTS),
  subject: z.string().describe('What it is about.').meta({ example: 'api_key:8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }),
  object: z
    .object({
      id: z.string().meta({ example: 'api_key:8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }),
      type: z.string().meta({ example: 'api_key' }),
      name: z.string().meta({ example: 'Partner feed' }),
    })
    .describe('The key, the caller, the exception or the store that it is about. One object can have several alerts.'),
  summary: z.string().describe('What is the matter, in a sentence.'),
  link: z.string().describe('Where the console shows it: a path.'),
  details: z.record(z.string(), z.unknown()).describe('The members that its events have.'),
  opened_at: TimestampSchema,
  resolved_at: TimestampSchema.nullable(),
  resolution: z.string().nullable().describe('Why it is resolved, in a sentence.'),
  acknowledged_at: TimestampSchema.nullable(),
  acknowledged_by: z.string().nullable().describe('E-mail address of the member, or name of the token.'),
  snoozed_until: TimestampSchema.nullable().describe('Until when it is hidden. Null if it is not hidden now.'),
});
export type Alert = z.infer<typeof AlertSchema>;

export const listAlerts = resource('/v1/admin/alerts/history', { tag: 'Alerts' }).get('listAlerts', 'viewer', {
  command: 'alerts list',
  summary: 'List alerts',
  description: `Those that are open, newest first, unless \`status\` says otherwise; at most ${MAX_PAGE} per page. Resolved ones are kept for 90 days.`,
  query: z.strictObject({
    ...pageParameters,
    status: z.enum(['open', 'resolved', 'all'], 'must be open, resolved or all').default('open'),
    event: oneOrMore(ALERT_EVENTS),
    acknowledged: z
      .enum(['yes', 'no'], 'must be yes or no')
      .optional()
      .describe('`no`: only alerts that are neither acknowledged nor snoozed now; `yes`: only the others.'),
    q: searchIn('Part of the subject or of the text; ASCII letter case is ignored.'),
    sort: sortParameter(['opened_at', 'resolved_at', 'urgency'], '-opened_at'),
  }),
  response: declarePage('The alerts.', AlertSchema),
});

const objectField = z
  .string()
  .min(1)
  .max(300)
  .describe('`object.id` of its alerts.')
  .meta({ example: 'api_key:8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' });

const acknowledgements = resource('/v1/admin/alerts/acknowledgements', { tag: 'Alerts' });

export const acknowledgeAlerts = acknowledgements.put('acknowledgeAlerts', 'operator', {
  command: 'alerts acknowledge',
  reason: 'query',
  summary: 'Acknowledge or snooze the alerts of an object',
  description:
    'Applies to all open alerts of the object, for everybody. Alerts that open later are not acknowledged. Webhooks are not affected.',
  body: json(
    input('AlertAcknowledgement', {
      object: objectField,
      until: ExpiryInput.describe('Snoozes until then. Absent or null: acknowledges.'),
    }),
  ),
  example: { body: { object: 'ip:203.0.113.7', until: null } },
  response: ok(
    'The alerts are acknowledged or snoozed.',
    object('AlertsAcknowledged', {
      object: z.string(),
      name: z.string(),
      alerts: z.int().min(1).describe('How many alerts this applies to.'),
      acknowledged_at: TimestampSchema.nullable(),
      snoozed_until: TimestampSchema.nullable(),
    }),
  ),
  errors: ['not_found'],
});

export const reopenAlerts = acknowledgements.delete('reopenAlerts', 'operator', {
  command: 'alerts reopen',
  reason: 'query',
  summary: 'Reopen acknowledged or snoozed alerts of an object',
  body: json(input('AlertReopening', { object: objectField })),
  example: { body: { object: 'ip:203.0.113.7' } },
  response: declareNoContent('The alerts need attention again.'),
  errors: ['not_found'],
});
