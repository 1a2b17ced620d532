import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/components/ui/cn';

const LOOKS = {
  info: { icon: Info, classes: 'bg-primary-soft text-foreground [&>svg]:text-primary' },
  warning: { icon: TriangleAlert, classes: 'bg-warning-soft text-warning-text' },
  destructive: { icon: CircleAlert, classes: 'bg-destructive-soft text-destructive-text' },
} as const;

interface AlertProps {
  variant?: keyof typeof LOOKS;
  title?: string;
  children?: ReactNode;
}

export function Alert({ variant = 'info', title, children }: AlertProps) {
  const { icon: Icon, classes } = LOOKS[variant];
  return (
    <div data-slot="alert" className={cn('flex gap-2.5 rounded-md px-3 py-2 text-sm', classes)}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        {title ? <p className="font-medium">{title}</p> : null}
        {children ? <div className={cn(title && 'opacity-90')}>{children}</div> : null}
      </div>
    </div>
  );
}
