import { Button } from '@/components/ui/button';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { formatNumber } from '@/lib/format-number';

/** Deliveries that a dialog shows at first, and how many more each click loads. */
export const STEP = 50;

/** Returns the time between two reads in milliseconds. It grows with the rows, so that their rate stays the same. */
export const computeRefetchInterval = (limit: number): number => (limit / STEP) * 5_000;

interface OlderDeliveriesProps {
  shown: number;
  /** Most deliveries that are read. */
  limit: number;
  isPending: boolean;
  onMore: (limit: number) => void;
}

/** States how many deliveries are shown, and offers older ones up to the largest page of the API. */
export function OlderDeliveries({ shown, limit, isPending, onMore }: OlderDeliveriesProps) {
  return (
    <p className="flex items-center justify-between gap-3 text-xs text-muted-foreground tabular-nums">
      The newest {formatNumber(shown)}
      {limit < MAX_PAGE ? (
        <Button variant="outline" size="sm" pending={isPending} onClick={() => onMore(limit + STEP)}>
          Load older
        </Button>
      ) : (
        <span>
          The API has older ones: <code className="font-mono">sluice webhooks deliveries</code>
        </span>
      )}
    </p>
  );
}
