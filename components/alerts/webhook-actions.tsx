import { List, Pencil, Power, RefreshCw, Trash2 } from 'lucide-react';
import { TEST_ACTION } from '@/components/alerts/test-action';
import { call } from '@/components/api/call';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import { type Action, loadDialog } from '@/components/shell/action';
import { removeWebhook, rotateWebhook, updateWebhook, type Webhook } from '@/lib/contract/webhooks';

export const WEBHOOK_ACTIONS = {
  test: TEST_ACTION,
  deliveries: {
    label: 'Deliveries…',
    icon: List,
    needs: 'viewer',
    dialog: loadDialog(() => import('@/components/alerts/deliveries-dialog')),
  },
  edit: {
    label: 'Edit…',
    icon: Pencil,
    needs: 'owner',
    dialog: loadDialog(() => import('@/components/alerts/edit-webhook-dialog')),
  },
  toggle: {
    label: ({ enabled }) => (enabled ? 'Switch off…' : 'Switch on…'),
    icon: Power,
    needs: 'owner',
    dialog: createReasonDialog('webhooks', ({ id, name, enabled }) => ({
      title: `Switch ${name} ${enabled ? 'off' : 'on'}?`,
      description: enabled
        ? 'It receives no new events. Queued events stay queued.'
        : 'It receives new events, and the queued ones.',
      submitLabel: enabled ? 'Switch off' : 'Switch on',
      mild: !enabled,
      example: 'The receiver moves',
      send: (reason) => call(updateWebhook, { params: { id }, query: { reason }, body: { enabled: !enabled } }),
      done: `${name} is ${enabled ? 'off' : 'on'}`,
    })),
  },
  rotate: {
    label: 'Rotate secret…',
    icon: RefreshCw,
    needs: 'owner',
    isPossible: ({ format }) => format === 'standard',
    dialog: createReasonDialog('webhooks', ({ id, name }) => ({
      title: `Rotate the secret of ${name}?`,
      description: 'For a day, messages also have a signature by the old secret.',
      submitLabel: 'Rotate secret',
      mild: true,
      example: 'Yearly rotation',
      send: async (reason) => {
        const { value } = await call(rotateWebhook, { params: { id }, query: { reason }, body: {} });
        const title = `${name} has a new secret`;
        return { title, note: 'Give it to the receiver within a day.', secret: value.secret, isKept: true };
      },
    })),
  },
  remove: {
    label: 'Remove…',
    icon: Trash2,
    needs: 'owner',
    destructive: true,
    dialog: createReasonDialog('webhooks', ({ id, name }) => ({
      title: `Remove ${name}?`,
      description: 'Nothing more is sent to it. Queued events are dropped.',
      submitLabel: 'Remove webhook',
      example: 'The receiver was shut down',
      send: (reason) => call(removeWebhook, { params: { id }, query: { reason } }),
      done: `${name} is removed`,
    })),
  },
} as const satisfies Record<string, Action<Webhook>>;
