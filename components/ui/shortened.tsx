import { cn } from '@/components/ui/cn';
import { splitIdentifier } from '@/components/ui/shorten';

/**
 * Shows an identifier on one line. If it does not fit, its middle is cut; hovering and screen readers give all of it.
 */
export function Shortened({ text, className }: { text: string; className?: string }) {
  const parts = splitIdentifier(text);
  if (parts === null) {
    return (
      <span title={text} className={cn('inline-block min-w-0 max-w-full truncate align-bottom', className)}>
        {text}
      </span>
    );
  }
  const [head, tail] = parts;
  return (
    <span title={text} className={cn('inline-flex min-w-0 max-w-full align-bottom', className)}>
      <span className="sr-only">{text}</span>
      <span aria-hidden className="inline-flex min-w-0">
        <span className="truncate whitespace-pre">{head}</span>
        <span className="shrink-0 whitespace-pre">{tail}</span>
      </span>
    </span>
  );
}
