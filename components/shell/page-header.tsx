import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import { useHasRole } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

interface PageHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  /** Role that the actions need. */
  needs?: MemberRole;
  actions?: ReactNode;
}

export function PageHeader({ title, description, needs, actions }: PageHeaderProps) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold">{title}</h1>
        {description ? <div className="mt-0.5 max-w-prose text-sm text-muted-foreground">{description}</div> : null}
      </div>
      {actions || needs ? (
        <div className="flex max-w-full shrink-0 flex-wrap items-center gap-2">
          {needs ? <RoleNote needs={needs} /> : null}
          {actions}
        </div>
      ) : null}
    </header>
  );
}

/** Notes the role that the buttons next to it need, unless the member has it. */
function RoleNote({ needs }: { needs: MemberRole }) {
  return useHasRole(needs) ? null : (
    <Badge variant="outline">
      <Eye aria-hidden /> Read-only: changes need the {needs} role
    </Badge>
  );
}
