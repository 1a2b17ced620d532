import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSlow } from '@/components/api/use-slow';
import type { BatchAction, Selection } from '@/components/batch/batch-action';
import { previewRows } from '@/components/batch/run-batch';
import { PreviewFault } from '@/components/form/preview-fault';
import { DatedText } from '@/components/format/dated-text';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';

/** A longer selection lists names only, because a preview reads the traffic of each row. */
const MOST = 100;

interface SelectedRowsProps<Row> {
  selection: Selection<Row>;
  action: BatchAction<Row>;
  rows: readonly Row[];
  what: string;
  tier: QuotaTier;
}

/** Lists the rows of an action, each with the traffic it would affect or the reason it would be refused. */
export function SelectedRows<Row>({ selection, action, rows, what, tier }: SelectedRowsProps<Row>) {
  // A new end affects no traffic, so it needs no preview.
  const isForeseen =
    rows.length <= MOST && action.each === undefined && (action.asks === undefined || action.asks === 'tier');
  const {
    data: effects,
    error,
    isPlaceholderData,
    refetch,
  } = useQuery({
    queryKey: ['preview', 'runBatch', action.label, rows.map(selection.id), tier],
    queryFn: ({ signal }) => previewRows(selection, action, rows, { tier, signal }),
    enabled: isForeseen,
    placeholderData: keepPreviousData,
    networkMode: 'always',
    retry: false,
  });
  const isFailed = error !== null && effects === undefined;
  const isOld = isForeseen && !isFailed && (effects === undefined || isPlaceholderData);
  const isSlow = useSlow(isOld);
  const describe = (index: number) =>
    isOld ? (isSlow ? 'Reading the traffic of the last hour…' : '') : (effects?.[index] ?? '');
  return (
    <>
      <ul
        aria-label={`Selected: ${what}`}
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must be able to do as well
        tabIndex={0}
        className="flex max-h-48 flex-col gap-1 overflow-y-auto rounded-md bg-muted px-3 py-2 text-sm"
      >
        {rows.map((row, index) => (
          <li key={selection.id(row)}>
            <div className="line-clamp-2 wrap-anywhere">{selection.name(row)}</div>
            {isOld || effects?.[index] ? (
              <div className="min-h-4.5 text-xs text-muted-foreground tabular-nums">
                <DatedText>{describe(index)}</DatedText>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      {isFailed ? <PreviewFault error={error} onRetry={() => void refetch()} /> : null}
    </>
  );
}
