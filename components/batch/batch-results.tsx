import { useQueryClient } from '@tanstack/react-query';
import { Check, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { explainError, showErrorToast } from '@/components/api/explain-error';
import { type BatchAction, type Selection, TAKEN_BACK } from '@/components/batch/batch-action';
import type { RowResult } from '@/components/batch/run-batch';
import { DatedText } from '@/components/format/dated-text';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';
import { formatCount, formatNumber } from '@/lib/format-number';

interface BatchResultsProps<Row> {
  selection: Selection<Row>;
  action: BatchAction<Row>;
  first: readonly RowResult<Row>[];
  send: (rows: readonly Row[]) => Promise<RowResult<Row>[]>;
  onSettled: (refused: readonly Row[]) => void;
  onClose: () => void;
}

/** Shows the result of each row, refused rows first, and offers to retry only those. */
export function BatchResults<Row>(props: BatchResultsProps<Row>) {
  const { selection, action, first, send, onSettled, onClose } = props;
  const queries = useQueryClient();
  const [results, setResults] = useState(first);
  const [pending, setPending] = useState(false);
  const refused = results.filter(({ fault }) => fault !== null);
  const retryRefused = async () => {
    setPending(true);
    try {
      const next = new Map((await send(refused.map(({ row }) => row))).map((result) => [result.row, result]));
      const all = results.map((result) => next.get(result.row) ?? result);
      setResults(all);
      onSettled(all.flatMap(({ row, fault }) => (fault === null ? [] : [row])));
      await Promise.all(
        [...(selection.changes ?? []), 'audit'].map((resource) => queries.invalidateQueries({ queryKey: [resource] })),
      );
    } catch (error) {
      showErrorToast(error);
    }
    setPending(false);
  };
  const countItems = (count: number) => formatCount(count, ...selection.nouns);
  return (
    <Dialog open onOpenChange={() => pending || onClose()}>
      <DialogContent>
        <DialogFrame
          title={
            refused.length === 0
              ? action.done(countItems(results.length))
              : `${formatNumber(refused.length)} of ${countItems(results.length)} refused`
          }
          description={refused.length === 0 ? (action.afterwards ?? TAKEN_BACK) : 'The others are done.'}
          footer={
            <>
              <Button variant={refused.length === 0 ? 'default' : 'ghost'} disabled={pending} onClick={onClose}>
                Done
              </Button>
              {refused.length === 0 ? null : (
                <Button pending={pending} onClick={() => void retryRefused()}>
                  Try {formatNumber(refused.length)} again
                </Button>
              )}
            </>
          }
        >
          <ul
            aria-label="Results"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must be able to do as well
            tabIndex={0}
            className="flex max-h-80 flex-col gap-2 overflow-y-auto text-sm"
          >
            {[...refused, ...results.filter(({ fault }) => fault === null)].map(({ row, fault }) => (
              <Result key={selection.id(row)} name={selection.name(row)} fault={fault} />
            ))}
          </ul>
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}

function Result({ name, fault }: { name: string; fault: unknown }) {
  const { title, text } = fault === null ? { title: 'done', text: null } : explainError(fault);
  const Icon = fault === null ? Check : TriangleAlert;
  return (
    <li className="flex items-start gap-2">
      <Icon
        aria-hidden
        className={`mt-0.5 size-4 shrink-0 ${fault === null ? 'text-success' : 'text-destructive-text'}`}
      />
      <div className="min-w-0 flex-1">
        <div className="line-clamp-2 font-medium wrap-anywhere">{name}</div>
        <div className={fault === null ? 'sr-only' : 'text-xs text-muted-foreground'}>
          {title}
          {text ? (
            <>
              : <DatedText>{text}</DatedText>
            </>
          ) : null}
        </div>
      </div>
    </li>
  );
}
