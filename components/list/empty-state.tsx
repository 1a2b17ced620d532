import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-1 rounded-lg border border-dashed px-6 py-14 text-center">
      {Icon ? <Icon aria-hidden className="mb-2 size-6 text-muted-foreground" strokeWidth={1.5} /> : null}
      <p className="text-base font-medium">{title}</p>
      {children ? <div className="max-w-sm text-sm text-balance text-muted-foreground">{children}</div> : null}
      {action ? <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}
