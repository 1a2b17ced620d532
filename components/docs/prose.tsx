import { cn } from '@/components/ui/cn';

/** Paragraphs of plain text, with code between backticks. */
export function Prose({ text, className }: { text: string; className?: string }) {
  return text.split(/\n{2,}/).map((paragraph) => (
    <p key={paragraph} className={cn('max-w-prose text-sm text-muted-foreground', className)}>
      {paragraph.split('`').map((part, index) =>
        index % 2 === 0 ? (
          part
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
