import { formatNumber } from '@/components/format/number';
import { Alert } from '@/components/ui/alert';

/** Says that a list is longer than what is shown of it. */
export function IncompleteNote({ shown }: { shown: number }) {
  return (
    <Alert variant="info">
      These are {formatNumber(shown)} of more. Search to find the others, or export them all through the API.
    </Alert>
  );
}
