import { Badge } from '@/components/ui/badge';
import type { Severity } from '@/lib/oauth/controls/control';

const LOOKS = {
  critical: 'destructive',
  high: 'warning',
  medium: 'primary',
  low: 'neutral',
  info: 'outline',
} as const satisfies Record<Severity, string>;

/** How bad it is when a control is missing. */
export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <Badge variant={LOOKS[severity]} className="w-14 justify-center">
      {severity}
    </Badge>
  );
}
