import { ScrollBox } from '@/components/oauth/exchange/scroll-box';
import { cn } from '@/components/ui/cn';
import type { ComparedLine } from '@/lib/oauth/builder/differing-lines';

/** An answer line by line, with those marked that the other answer does not have. */
export function ComparedLines({ lines, label }: { lines: readonly ComparedLine[]; label: string }) {
  return (
    <ScrollBox label={label} className="max-h-128 bg-muted/50 py-2">
      <ol className="font-mono text-xs leading-5">
        {lines.map((line, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one answer never move
            key={index}
            dir="ltr"
            data-differs={line.differs || undefined}
            className={cn(
              'flex gap-2 border-l-2 border-transparent px-2 wrap-anywhere whitespace-pre-wrap',
              line.differs && 'border-warning bg-warning-soft text-warning-text',
            )}
          >
            <span aria-hidden className="w-2 shrink-0 select-none">
              {line.differs ? '≠' : ''}
            </span>
            {line.differs ? <span className="sr-only">differs: </span> : null}
            <span className="min-w-0 flex-1">{line.text || ' '}</span>
          </li>
        ))}
      </ol>
    </ScrollBox>
  );
}
