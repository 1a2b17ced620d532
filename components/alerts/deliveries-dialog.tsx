import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { ChevronRight, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { DeliveryDetail } from '@/components/alerts/delivery-detail';
import { computeRefetchInterval, OlderDeliveries, STEP } from '@/components/alerts/older-deliveries';
import { TEST_ACTION } from '@/components/alerts/test-action';
import { summarizeAnswer } from '@/components/alerts/webhook-state';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { useCall } from '@/components/api/use-call';
import type { Selection } from '@/components/batch/batch-action';
import { MarkAll, useMarks } from '@/components/batch/use-selection';
import { RelativeTime } from '@/components/format/relative-time';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { QueryPart } from '@/components/list/query-part';
import { type RowDialogProps, useRunAction } from '@/components/shell/action';
import { DialogProvider } from '@/components/shell/dialogs';
import { RoleButton } from '@/components/shell/role-button';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast';
import { type Delivery, listDeliveries, replayDelivery, type Webhook } from '@/lib/contract/webhooks';
import { formatNumber } from '@/lib/format-number';

const LOOKS = { pending: 'warning', delivered: 'success', failed: 'destructive' } as const;

/** Dialog that lists the deliveries of a webhook and the receiver's answers. */
export default function DeliveriesDialog({ row: webhook, onClose }: RowDialogProps<Webhook>) {
  const { id, name } = webhook;
  const run = useRunAction();
  const queries = useQueryClient();
  const key = ['webhooks', 'deliveries', id];
  const [limit, setLimit] = useState(STEP);
  const deliveries = useCall(
    [...key, limit],
    listDeliveries,
    { params: { id }, query: { limit: String(limit) } },
    { refetchInterval: computeRefetchInterval(limit), placeholderData: keepPreviousData },
  );
  const replay = async (delivery: number) => {
    try {
      await call(replayDelivery, { params: { id, delivery: String(delivery) } });
      toast.success('It is sent again within seconds');
    } catch (error) {
      showErrorToast(error);
    }
    await queries.invalidateQueries({ queryKey: key });
  };
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent aria-describedby={undefined} className="max-w-3xl">
        <DialogFrame title={`Deliveries to ${name}`}>
          <div className="flex justify-end">
            <RoleButton needs="operator" variant="outline" size="sm" onClick={() => run(TEST_ACTION, webhook)}>
              <Send aria-hidden /> Test
            </RoleButton>
          </div>
          <QueryPart query={deliveries}>
            {({ value, next }) =>
              value.length === 0 ? (
                <p className="py-5 text-center text-sm text-muted-foreground">Nothing was sent yet.</p>
              ) : (
                // This provider stacks the bar's dialogs on top of this one instead of replacing it.
                <DialogProvider>
                  <DeliveryRows webhook={id} deliveries={value} onReplay={(delivery) => void replay(delivery)} />
                  {next === null ? null : (
                    <OlderDeliveries
                      shown={value.length}
                      limit={limit}
                      isPending={deliveries.isPlaceholderData}
                      onMore={setLimit}
                    />
                  )}
                </DialogProvider>
              )
            }
          </QueryPart>
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}

interface DeliveryRowsProps {
  webhook: string;
  deliveries: readonly Delivery[];
  onReplay: (delivery: number) => void;
}

function DeliveryRows({ webhook, deliveries, onReplay }: DeliveryRowsProps) {
  const { zone } = useTimeZone();
  const selection: Selection<Delivery> = {
    nouns: ['delivery', 'deliveries'],
    id: ({ id }) => String(id),
    name: ({ id, summary, created_at: at }) => `delivery ${id}, ${formatAbsoluteTime(at, zone)}: ${summary}`,
    target: () => webhook,
    changes: ['webhooks'],
    actions: [
      {
        label: 'Send again…',
        icon: Send,
        needs: 'operator',
        title: (what) => `Send ${what} again?`,
        description:
          'Each gets as many attempts as a new delivery and keeps its id, so that the receiver recognizes repeats.',
        submitLabel: 'Send again',
        example: 'The receiver was down',
        done: (what) => `${what} sent again`,
        afterwards: 'They are sent within seconds. The list of deliveries shows the answers.',
        buildCall: ({ id }, { reason }) => ({
          operation: 'replayDelivery',
          item: { id: webhook, delivery: id, reason },
        }),
      },
    ],
  };
  const { marks, bar } = useMarks(selection, { label: 'deliveries', rows: deliveries });
  return (
    <>
      {deliveries.length > 1 ? <MarkAll marks={marks} /> : null}
      <ul className="flex flex-col divide-y">
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            mark={marks?.rowBox(delivery)}
            onReplay={() => onReplay(delivery.id)}
          />
        ))}
      </ul>
      {bar}
    </>
  );
}

function DeliveryRow({ delivery, mark, onReplay }: { delivery: Delivery; mark: ReactNode; onReplay: () => void }) {
  const { id, type, summary, state, created_at: at, attempts, next_attempt_at: next } = delivery;
  const last = attempts.at(-1);
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="flex items-start gap-3 py-2.5 text-sm">
      {mark}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Badge variant={LOOKS[state]}>{state}</Badge>
          <code className="font-mono text-xs">{type}</code>
          <RelativeTime at={at} className="text-xs text-muted-foreground" />
        </p>
        <p className="break-words">{summary}</p>
        {last ? (
          <p className="text-xs break-words text-muted-foreground tabular-nums">
            Attempt {attempts.length}: {summarizeAnswer(last)}, {formatNumber(last.duration_ms)} ms
            {next ? (
              <>
                ; next <RelativeTime at={next} />
              </>
            ) : null}
          </p>
        ) : null}
        <div>
          <Button
            variant="ghost"
            size="sm"
            aria-expanded={isOpen}
            aria-label={`Request and answers of delivery ${id}`}
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight aria-hidden className={cn('transition-transform', isOpen && 'rotate-90')} /> Request and
            answers
          </Button>
        </div>
        {isOpen ? <DeliveryDetail delivery={delivery} /> : null}
      </div>
      <RoleButton
        needs="operator"
        variant="ghost"
        size="sm"
        aria-label={`Send again: delivery ${id}`}
        onClick={onReplay}
      >
        Send again
      </RoleButton>
    </li>
  );
}
