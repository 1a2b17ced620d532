import { Badge } from '@/components/ui/badge';

/** The status of an answer. */
export function StatusBadge({ status }: { status: number }) {
  const variant = status >= 400 ? 'destructive' : status >= 300 ? 'warning' : 'success';
  return (
    <Badge variant={variant} className="font-mono tabular-nums">
      {status}
    </Badge>
  );
}
