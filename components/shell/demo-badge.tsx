import { Badge } from '@/components/ui/badge';

/** Says on every page that what is shown is made up. */
export function DemoBadge({ className }: { className?: string }) {
  return (
    <Badge variant="warning" className={className}>
      demo data
    </Badge>
  );
}
