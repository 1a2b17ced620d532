import { explainError } from '@/components/api/explain-error';
import { DatedText } from '@/components/format/dated-text';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';

/** Says that the effect of a change is unknown, and why. It retries automatically, or at once by its button. */
export function PreviewFault({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, text } = explainError(error);
  return (
    <Alert variant="warning" title="The effect is unknown">
      <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48">
          {title}. <DatedText>{text}</DatedText>
        </span>
        <Button variant="outline" size="sm" onClick={onRetry}>
          Try again
        </Button>
      </span>
    </Alert>
  );
}
