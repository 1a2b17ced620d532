import { z } from 'zod';
import { ALERT_EVENTS } from '@/lib/contract/alerts';
import { EXAMPLE_ID, idInPath } from '@/lib/contract/fields/ids';
import { declarePage, MAX_PAGE, pageParameters, sortParameter } from '@/lib/contract/fields/list';
import { DisplayName } from '@/lib/contract/fields/text';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { MAX_ROW, wholeNumber } from '@/lib/contract/fields/whole-number';
import {
  count,
  created,
  declareNoContent,
  input,
  json,
  object,
  ok,
  optionalJson,
  resource,
} from '@/lib/contract/resource';

/** Formats of an event. */
const WEBHOOK_FORMATS = ['standard', 'slack', 'discord', 'email'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;

const AttemptSchema = object('DeliveryAttempt', {
  at: TimestampSchema,
  status: z.int().nullable().describe('Status of the HTTP or SMTP answer. Null if there was none.'),
  answer: z.string().describe('The beginning of the body of the answer, or why there was none.'),
  headers: z
    .record(z.string(), z.string())
    .describe('Headers of the answer, without cookies and credentials; of each value the beginning.'),
  duration_ms: count,
});
export type DeliveryAttempt = z.infer<typeof AttemptSchema>;

const WebhookSchema = object('Webhook', {
  id: z.uuid(),
  name: z.string(),
  url: z.string().describe('Destination. Without the path if that is a credential: Slack, Discord.'),
  format: z.enum(WEBHOOK_FORMATS),
  events: z.array(z.enum(ALERT_EVENTS)).describe('Which alerts it sends, with their `.resolved`; empty: all.'),
  enabled: z.boolean(),
  disabled_reason: z
    .enum(['gone'])
    .nullable()
    .describe(
      '`gone`: the receiver answered 410, and Sluice disabled it. Null if it is enabled, or a person disabled it.',
    ),
  unreadable: z
    .array(z.enum(['url', 'secret']))
    .describe(
      'What was encrypted under an `AUTH_SECRET` that was given up: set the URL again, rotate the secret. Deliveries wait for that.',
    ),
  pending: count.describe('Deliveries that wait for their next attempt.'),
  failed: count.describe('Deliveries of the last 30 days that were given up.'),
  last_attempt: AttemptSchema.nullable(),
  created_at: TimestampSchema,
  created_by: z.string(),
});
export type Webhook = z.infer<typeof WebhookSchema>;

const DeliverySchema = object('Delivery', {
  id: z.int().min(1).describe('Increases with time.'),
  event_id: z.uuid().describe('`webhook-id` of its messages, the same in each attempt.'),
  type: z.string().meta({ example: 'quota.threshold.resolved' }),
  subject: z.string(),
  summary: z.string(),
  state: z.enum(DELIVERY_STATES).describe('`failed`: given up after 8 attempts.'),
  created_at: TimestampSchema,
  next_attempt_at: TimestampSchema.nullable().describe('Null when it is not pending.'),
  request: z
    .object({
      method: z.string(),
      url: z.string().describe('Without the path if that is a credential.'),
      headers: z.record(z.string(), z.string()).describe('The signature is left out.'),
      body: z.string(),
    })
    .nullable()
    .describe('What is sent. Each attempt has its own `webhook-timestamp`; this is that of the newest. Null for mail.'),
  attempts: z.array(AttemptSchema).describe('The newest 10, the oldest first.'),
});
export type Delivery = z.infer<typeof DeliverySchema>;

const secret = z
  .string()
  .nullable()
  .describe('`whsec_` and base64. Shown only once; stored encrypted. Null for formats that are not signed.');

/** One address (RFC 6068) without header fields. The quoted forms of RFC 5321 are not supported. */
const MAIL_ADDRESS = /^mailto:[^\s\p{Cc}@<>()[\]\\,;:"?#%]{1,64}@[^\s\p{Cc}@<>()[\]\\,;:"?#%]{1,255}$/iu;

const url = z
  .string()
  .max(2_048)
  .superRefine((text, context) => {
    const parsed = URL.canParse(text) ? new URL(text) : null;
    if (parsed?.protocol === 'mailto:') {
      if (!MAIL_ADDRESS.test(text)) context.addIssue('must be mailto: and one e-mail address');
    } else if (parsed === null || !/^https?:$/.test(parsed.protocol)) context.addIssue('must be an https URL');
    else if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '')
      context.addIssue('must have neither credentials nor a fragment');
  })
  .describe(
    'https; http only for private addresses that `SLUICE_ASSESS_ALLOW` names. Redirects are not followed. For mail `mailto:` and one address.',
  )
  .meta({ format: 'uri', example: 'https://hooks.example.com/sluice' });

const fields = {
  name: DisplayName.describe('1 to 100 characters after trimming; no two webhooks share a name.').meta({
    example: 'On-call',
  }),
  url,
  events: z
    .array(z.enum(ALERT_EVENTS))
    .transform((events) => ALERT_EVENTS.filter((event) => events.includes(event)))
    .describe('Which alerts it sends; empty: all.'),
};

const webhooks = resource('/v1/admin/webhooks', { tag: 'Alerts' });

export const createWebhook = webhooks.post('createWebhook', 'owner', {
  command: 'webhooks create',
  reason: 'query',
  summary: 'Create a webhook',
  description:
    'Sends every alert from now on, signed by [Standard Webhooks](https://www.standardwebhooks.com); the answer contains the secret that signs, which is never shown again. Slack and Discord get their own format, unsigned; `email` sends plain text by the mail server of `SLUICE_SMTP_URL`.',
  body: json(
    input('NewWebhook', {
      ...fields,
      events: fields.events.default([]),
      format: z.enum(WEBHOOK_FORMATS).default('standard'),
    }),
  ),
  example: { body: { name: 'On-call', url: 'https://hooks.example.com/sluice' } },
  response: created('The webhook.', WebhookSchema.extend({ secret }).meta({ id: 'CreatedWebhook' })),
  errors: ['conflict'],
  idempotent: true,
});

export const listWebhooks = webhooks.get('listWebhooks', 'viewer', {
  command: 'webhooks list',
  summary: 'List webhooks',
  description: `Newest first unless \`sort\` is given; at most ${MAX_PAGE} per page.`,
  query: z.strictObject({ ...pageParameters, sort: sortParameter(['created_at', 'name'], '-created_at') }),
  response: declarePage('The webhooks, without their secrets.', WebhookSchema),
});

const id = z.uuid('must be a uuid').toLowerCase().describe("The webhook's id.");
const webhook = resource('/v1/admin/webhooks/{id}', { tag: 'Alerts', ...idInPath(id) });

export const updateWebhook = webhook.patch('updateWebhook', 'owner', {
  command: 'webhooks update',
  reason: 'query',
  summary: 'Change a webhook',
  description:
    'Absent members stay as they are; the format and the secret stay in any case. One that is not enabled gets no new deliveries, and those that wait go on waiting. A receiver that answers 410 disables its webhook; `enabled: true` enables it again.',
  body: json(
    input('WebhookChanges', {
      name: fields.name.optional(),
      url: fields.url.optional(),
      events: fields.events.optional(),
      enabled: z.boolean().optional(),
    }),
  ),
  example: { body: { enabled: false } },
  response: ok('The webhook.', WebhookSchema),
  errors: ['not_found', 'conflict'],
});

export const removeWebhook = webhook.delete('removeWebhook', 'owner', {
  command: 'webhooks remove',
  reason: 'query',
  summary: 'Remove a webhook',
  description: 'Sends nothing more, also of what waits.',
  response: declareNoContent('The webhook is removed.'),
  errors: ['not_found'],
});

export const rotateWebhook = resource('/v1/admin/webhooks/{id}/rotate', { tag: 'Alerts', ...idInPath(id) }).post(
  'rotateWebhook',
  'owner',
  {
    command: 'webhooks rotate',
    reason: 'query',
    summary: 'Replace the secret of a webhook',
    description:
      'Messages carry a signature by the old secret too for the time of grace, so that the receiver can change over without losing one. Other formats than `standard` have no secret: `conflict`.',
    body: optionalJson(
      input('WebhookRotation', {
        grace_seconds: z
          .int()
          .min(0)
          .max(604_800)
          .default(86_400)
          .describe('For how long the old secret also signs; at most a week.'),
      }),
    ),
    example: { body: { grace_seconds: 86_400 } },
    response: ok(
      'The new secret.',
      object('RotatedWebhook', { id: z.uuid(), secret: z.string().describe('Shown only once.') }),
    ),
    errors: ['not_found', 'conflict'],
    idempotent: true,
  },
);

export const testWebhook = resource('/v1/admin/webhooks/{id}/test', { tag: 'Alerts', ...idInPath(id) }).post(
  'testWebhook',
  'operator',
  {
    command: 'webhooks test',
    reason: 'query',
    summary: 'Send a test event',
    description:
      'Sends the event `webhook.test` once, at once, also when the webhook is not enabled, and answers with what came back. It is not sent again.',
    response: ok('What came back.', DeliverySchema),
    errors: ['not_found'],
  },
);

export const listDeliveries = resource('/v1/admin/webhooks/{id}/deliveries', {
  tag: 'Alerts',
  ...idInPath(id),
}).get('listDeliveries', 'viewer', {
  command: 'webhooks deliveries',
  summary: 'List the deliveries of a webhook',
  description: `Newest first unless \`sort\` is given; at most ${MAX_PAGE} per page. Kept for 30 days.`,
  query: z.strictObject({
    ...pageParameters,
    state: z.enum([...DELIVERY_STATES, 'all'], 'must be pending, delivered, failed or all').default('all'),
    sort: sortParameter(['id'], '-id'),
  }),
  response: declarePage('The deliveries, with what was answered.', DeliverySchema),
  errors: ['not_found'],
});

const DeliveryParameters = z.strictObject({
  id,
  delivery: wholeNumber(1, MAX_ROW, 'must be the id of a delivery').describe("The delivery's id."),
});

export const replayDelivery = resource('/v1/admin/webhooks/{id}/deliveries/{delivery}/replay', {
  tag: 'Alerts',
  params: DeliveryParameters,
}).post('replayDelivery', 'operator', {
  command: 'webhooks replay',
  reason: 'query',
  summary: 'Send a delivery again',
  description: 'Within seconds, with as many attempts as a new one, under the same `webhook-id`.',
  example: { params: { id: EXAMPLE_ID, delivery: '42' } },
  response: ok('It waits to be sent.', DeliverySchema),
  errors: ['not_found'],
});
