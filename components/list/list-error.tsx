import { RotateCw } from 'lucide-react';
import { explainError } from '@/components/api/explain-error';
import { RemedyLink } from '@/components/api/remedy-link';
import { DatedText } from '@/components/format/dated-text';
import { EmptyState } from '@/components/list/empty-state';
import { Button } from '@/components/ui/button';

/** Replaces data that failed to load, with a retry button. */
export function ListError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, text, link } = explainError(error);
  return (
    <div role="alert">
      <EmptyState
        title={title}
        action={
          <>
            <RemedyLink link={link} />
            <Button variant="outline" onClick={onRetry}>
              <RotateCw aria-hidden /> Try again
            </Button>
          </>
        }
      >
        <DatedText>{text}</DatedText>
      </EmptyState>
    </div>
  );
}
