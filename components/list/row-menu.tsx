import { Ellipsis } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Menu } from '@/components/ui/dropdown-menu';

/** A menu behind three dots, as at the end of a row. `name` completes its label: "Actions for 10.0.0.1". */
export function RowMenu({
  name,
  align = 'end',
  size = 'icon',
  className = '-my-1',
  children,
}: Pick<ComponentProps<typeof Button>, 'size' | 'className'> & {
  name: string;
  align?: 'start' | 'end';
  children: ReactNode;
}) {
  const trigger = (
    <Button
      variant="ghost"
      size={size}
      className={cn('text-muted-foreground', className)}
      aria-label={`Actions for ${name}`}
    >
      <Ellipsis aria-hidden />
    </Button>
  );
  return (
    <Menu trigger={trigger} align={align}>
      {children}
    </Menu>
  );
}
