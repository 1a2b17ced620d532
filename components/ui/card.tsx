import type { ReactNode } from 'react';
import { wrapWithStyle } from '@/components/ui/cn';

export const Card = /* @__PURE__ */ wrapWithStyle(
  'section',
  'flex min-w-0 flex-col rounded-lg border bg-card text-card-foreground',
);
export const CardHeader = /* @__PURE__ */ wrapWithStyle(
  'div',
  'flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5',
);
export const CardTitle = /* @__PURE__ */ wrapWithStyle('h2', 'text-base font-semibold');
export const CardContent = /* @__PURE__ */ wrapWithStyle('div', 'px-4 pb-4');

interface TitledCardProps {
  title: ReactNode;
  description?: ReactNode;
  /** Classes of the header, which lay out title, description and `aside`. */
  header?: string;
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function TitledCard({ title, description, header, aside, className, children }: TitledCardProps) {
  return (
    <Card>
      <CardHeader className={header}>
        <CardTitle>{title}</CardTitle>
        {description ? <p className="text-sm text-muted-foreground">{description}</p> : null}
        {aside}
      </CardHeader>
      {children ? <CardContent className={className}>{children}</CardContent> : null}
    </Card>
  );
}
