import type { Form } from '@/cli/operation/form';

/** URLs of Slack and Discord contain the secret. */
const WEBHOOK_URL = { secrets: ['url'], variables: { url: 'SLUICE_WEBHOOK_URL' } } as const;

/** Forms of alert and webhook commands. */
export const ALERT_FORMS: Readonly<Record<string, Form>> = {
  'alerts set': { examples: ['sluice alerts get --json > alerts.json', 'sluice alerts set --data alerts.json'] },
  'alerts list': {
    columns: ['event', 'summary', 'opened_at', 'resolved_at'],
    examples: ['sluice alerts list', 'sluice alerts list --status all --event quota.threshold'],
  },
  'webhooks create': {
    ...WEBHOOK_URL,
    arguments: ['name'],
    undoable: false,
    examples: [
      'sluice webhooks create On-call',
      'SLUICE_WEBHOOK_URL="$(cat slack-url)" sluice webhooks create Chat --format slack',
      'SLUICE_WEBHOOK_URL=mailto:night@example.com sluice webhooks create Night --format email --events store.down',
    ],
  },
  'webhooks list': { columns: ['id', 'name', 'url', 'format', 'events', 'enabled', 'pending', 'failed'] },
  'webhooks update': {
    ...WEBHOOK_URL,
    arguments: ['id'],
    examples: [
      'sluice webhooks update 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69 --no-enabled',
      'sluice webhooks update 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69 --url',
    ],
  },
  'webhooks remove': { arguments: ['id'], examples: ['sluice webhooks remove 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69'] },
  'webhooks rotate': {
    arguments: ['id'],
    undoable: false,
    question: 'Replace the secret of this webhook? The old one stops signing after its grace.',
    examples: ['sluice webhooks rotate 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69'],
  },
  'webhooks test': {
    arguments: ['id'],
    undoable: false,
    examples: ['sluice webhooks test 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69'],
  },
  'webhooks deliveries': {
    arguments: ['id'],
    columns: ['id', 'type', 'summary', 'state', 'created_at', 'next_attempt_at'],
    examples: ['sluice webhooks deliveries 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69 --state failed'],
  },
  'webhooks replay': {
    arguments: ['id', 'delivery'],
    undoable: false,
    examples: ['sluice webhooks replay 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69 42'],
  },
};
