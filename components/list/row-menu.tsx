import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Menu } from '@/components/ui/dropdown-menu';

/** Three-dots menu, at the end of a row or `inline` in a text. `name` completes its label. */
export function RowMenu({ name, inline, children }: { name: string; inline?: boolean; children: ReactNode }) {
  const trigger = (
    <Button
      variant="ghost"
      size={inline ? 'icon-sm' : 'icon'}
      className={cn('text-muted-foreground', !inline && '-my-1')}
      aria-label={`Actions for ${name}`}
    >
      <Ellipsis aria-hidden />
    </Button>
  );
  return (
    <Menu trigger={trigger} align={inline ? 'start' : 'end'}>
      {children}
    </Menu>
  );
}
