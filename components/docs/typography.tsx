import { CitedText } from '@/components/format/cited-text';
import { cn } from '@/components/ui/cn';

const METHOD_COLORS: Readonly<Record<string, string>> = {
  GET: 'bg-success-soft text-success-text',
  DELETE: 'bg-destructive-soft text-destructive-text',
};

export function MethodBadge({ method }: { method: string }) {
  return (
    <span
      className={cn(
        'inline-flex h-5 w-14 shrink-0 items-center justify-center rounded-sm font-mono text-2xs font-medium',
        METHOD_COLORS[method] ?? 'bg-primary-soft text-primary',
      )}
    >
      {method}
    </span>
  );
}

/** Renders paragraphs of plain text, with code between backticks. RFCs are links. */
export function Prose({ text, className }: { text: string; className?: string }) {
  return text.split(/\n{2,}/).map((paragraph) => (
    <p key={paragraph} className={cn('max-w-prose text-sm text-muted-foreground', className)}>
      {paragraph.split('`').map((part, index) =>
        index % 2 === 0 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <CitedText key={index}>{part}</CitedText>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <code key={index} className="rounded-xs bg-muted px-1 py-px font-mono text-xs break-words text-foreground">
            {part}
          </code>
        ),
      )}
    </p>
  ));
}
