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
