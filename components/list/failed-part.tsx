import { CircleAlert, RotateCw } from 'lucide-react';
import { explainError } from '@/components/api/explain-error';
import { RemedyLink } from '@/components/api/remedy-link';
import { DatedText } from '@/components/format/dated-text';
import { Button } from '@/components/ui/button';

/** Replaces a part of a page that failed to load. It retries automatically, or at once by its button. */
export function FailedPart({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, text, link } = explainError(error);
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 text-sm">
      <CircleAlert aria-hidden className="size-4 shrink-0 text-destructive" />
      <p className="min-w-0 flex-1 basis-48">
        <span className="font-medium">{title}.</span>{' '}
        <span className="text-muted-foreground">
          <DatedText>{text}</DatedText>
        </span>
      </p>
      <RemedyLink link={link} small />
      <Button variant="outline" size="sm" onClick={onRetry}>
        <RotateCw aria-hidden /> Try again
      </Button>
    </div>
  );
}
