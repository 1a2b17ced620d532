import { useQueryClient } from '@tanstack/react-query';
import { summariseAnswer } from '@/components/alerts/webhook-state';
import { call } from '@/components/api/call';
import { toastError } from '@/components/api/explain-error';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { toast } from '@/components/ui/toast';
import { removeWebhook, testWebhook, updateWebhook, type Webhook } from '@/lib/contract/webhooks';

const DeliveriesDialog = loadOnDemand(() => import('@/components/alerts/deliveries-dialog'));
const EditWebhookDialog = loadOnDemand(() => import('@/components/alerts/edit-webhook-dialog'));
const RotateWebhookDialog = loadOnDemand(() => import('@/components/alerts/rotate-webhook-dialog'));

/** Returns the actions for a webhook. */
export function useWebhookActions(webhook: Webhook) {
  const { id, name, enabled } = webhook;
  const queries = useQueryClient();
  const open = useDialog();
  const ask = useReasonDialog('webhooks');
  const params = { id };
  const test = async () => {
    try {
      const { value } = await call(testWebhook, { params });
      const [attempt] = value.attempts;
      const words = attempt === undefined ? 'did not answer' : summariseAnswer(attempt);
      if (value.state === 'delivered') toast.success(`${name}: ${words}`);
      else toast.error(`${name}: ${words}`);
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  };
  return {
    test: () => void test(),
    deliveries: () => open((onClose) => <DeliveriesDialog id={id} name={name} onClose={onClose} />),
    edit: () => open((onClose) => <EditWebhookDialog webhook={webhook} onClose={onClose} />),
    rotate: () => open((onClose) => <RotateWebhookDialog id={id} name={name} onClose={onClose} />),
    toggle: () =>
      ask({
        title: `Switch ${name} ${enabled ? 'off' : 'on'}?`,
        description: enabled
          ? 'It gets nothing of what happens from now on. What waits goes on waiting.'
          : 'It gets what happens from now on, and what still waits.',
        submitLabel: enabled ? 'Switch off' : 'Switch on',
        mild: !enabled,
        example: 'The receiver moves',
        send: (reason) => call(updateWebhook, { params, query: { reason }, body: { enabled: !enabled } }),
        done: `${name} is ${enabled ? 'off' : 'on'}`,
      }),
    remove: () =>
      ask({
        title: `Remove ${name}?`,
        description: 'Nothing more is sent to it, also not what waits.',
        submitLabel: 'Remove webhook',
        example: 'The receiver was shut down',
        send: (reason) => call(removeWebhook, { params, query: { reason } }),
        done: `${name} is removed`,
      }),
  };
}
