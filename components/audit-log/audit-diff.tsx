import { diffLines } from 'diff';
import { cn } from '@/components/ui/cn';

/** A value as lines of JSON; no lines for null. */
function lines(value: unknown): string {
  return value === null || value === undefined ? '' : `${JSON.stringify(value, null, 2)}\n`;
}

const MARK = { added: '+', removed: '−', same: ' ' } as const;
const LOOK = {
  added: 'bg-success-soft text-success-text',
  removed: 'bg-destructive-soft text-destructive-text',
  same: 'text-muted-foreground',
} as const;

export function AuditDiff({ before, after }: { before: unknown; after: unknown }) {
  const parts = diffLines(lines(before), lines(after)).flatMap((part, index) => {
    const kind = part.added ? 'added' : part.removed ? 'removed' : 'same';
    return part.value
      .split('\n')
      .slice(0, -1)
      .map((text, line) => ({ key: `${index}.${line}`, kind, text }) as const);
  });
  if (parts.length === 0) return <p className="text-xs text-muted-foreground">No values were changed.</p>;
  return (
    <pre
      className="max-h-80 overflow-auto rounded-md border bg-background py-1.5 font-mono text-xs leading-5"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {parts.map(({ key, kind, text }) => (
        <span key={key} className={cn('block px-3', LOOK[kind])}>
          <span className="select-none">{MARK[kind]} </span>
          {text}
        </span>
      ))}
    </pre>
  );
}
