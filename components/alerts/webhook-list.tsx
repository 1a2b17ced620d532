import { Webhook as WebhookIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { WEBHOOK_ACTIONS } from '@/components/alerts/webhook-actions';
import { WebhookState } from '@/components/alerts/webhook-state';
import { useCall } from '@/components/api/use-call';
import type { Selection } from '@/components/batch/batch-action';
import { removeAction } from '@/components/batch/common-actions';
import { MarkAll, useMarks } from '@/components/batch/use-selection';
import { EmptyState } from '@/components/list/empty-state';
import { QueryCard } from '@/components/list/query-card';
import { RowMenu } from '@/components/list/row-menu';
import { ActionItems, useRunAction } from '@/components/shell/action';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { listWebhooks, type Webhook } from '@/lib/contract/webhooks';

const CreateWebhookDialog = loadOnDemand(() => import('@/components/alerts/create-webhook-dialog'));

const SELECTION: Selection<Webhook> = {
  nouns: ['webhook', 'webhooks'],
  id: ({ id }) => id,
  name: ({ name }) => name,
  target: ({ id }) => id,
  changes: ['webhooks'],
  actions: [
    removeAction({
      needs: 'owner',
      description: 'Nothing more is sent to them. Queued events are dropped.',
      submitLabel: 'Remove webhooks',
      example: 'The receivers were shut down',
      buildCall: ({ id }, { reason }) => ({ operation: 'removeWebhook', item: { id, reason } }),
    }),
  ],
};

/** Lists the webhooks with the state of each. */
export function WebhookList({ hasMail }: { hasMail: boolean }) {
  const open = useDialog();
  const webhooks = useCall(['webhooks', 'list'], listWebhooks, { query: {} }, { refetchInterval: 10_000 });
  const { marks, bar } = useMarks(SELECTION, { label: 'webhooks', rows: webhooks.data?.value ?? [] });
  const add = (
    <RoleButton
      needs="owner"
      size="sm"
      onClick={() => open((onClose) => <CreateWebhookDialog hasMail={hasMail} onClose={onClose} />)}
    >
      New webhook
    </RoleButton>
  );
  return (
    <QueryCard title="Webhooks" query={webhooks}>
      {({ value }) =>
        value.length === 0 ? (
          <EmptyState icon={WebhookIcon} title="No webhooks yet" action={add}>
            They send alerts to your own systems, signed, to Slack and Discord, or by mail.
          </EmptyState>
        ) : (
          <div className="flex flex-col gap-3">
            {value.length > 1 ? <MarkAll marks={marks} /> : null}
            <ul className="flex flex-col divide-y" aria-label="Webhooks">
              {value.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} mark={marks?.rowBox(webhook)} />
              ))}
            </ul>
            <div>{add}</div>
            {bar}
          </div>
        )
      }
    </QueryCard>
  );
}

const REMEDIES = { url: 'enter its address again', secret: 'rotate its secret' } as const;

function WebhookRow({ webhook, mark }: { webhook: Webhook; mark: ReactNode }) {
  const run = useRunAction();
  const { name, url, format, disabled_reason, unreadable } = webhook;
  return (
    <li className="flex items-start gap-3 py-2.5 text-sm">
      {mark}
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{name}</span>
          <WebhookState webhook={webhook} />
        </p>
        <p className="truncate font-mono text-xs text-muted-foreground" title={url}>
          {format === 'standard' ? url : `${format}: ${url.replace(/^mailto:/, '')}`}
        </p>
        {disabled_reason === 'gone' ? (
          <p className="flex flex-wrap items-center gap-x-2 text-xs text-destructive-text">
            Switched off: its receiver answered 410 Gone.
            <RoleButton needs="owner" size="sm" variant="outline" onClick={() => run(WEBHOOK_ACTIONS.toggle, webhook)}>
              Switch on…
            </RoleButton>
          </p>
        ) : null}
        {unreadable.length > 0 ? (
          <p className="text-xs text-destructive-text">
            Cannot send: AUTH_SECRET was lost. {unreadable.map((what) => REMEDIES[what]).join(', and ')}.
          </p>
        ) : null}
      </div>
      <RoleButton
        needs="operator"
        variant="outline"
        size="sm"
        aria-label={`Test ${name}`}
        onClick={() => run(WEBHOOK_ACTIONS.test, webhook)}
      >
        Test
      </RoleButton>
      <Button
        variant="outline"
        size="sm"
        className="max-sm:hidden"
        aria-label={`Deliveries to ${name}`}
        onClick={() => run(WEBHOOK_ACTIONS.deliveries, webhook)}
      >
        Deliveries
      </Button>
      <RowMenu name={name}>
        <ActionItems actions={WEBHOOK_ACTIONS} row={webhook} />
      </RowMenu>
    </li>
  );
}
