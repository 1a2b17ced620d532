import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { createLazyOverlay } from '@/components/ui/lazy-overlay';

const menu = createLazyOverlay(() => import('@/components/ui/dropdown-menu-parts'), 'menu');

const DropdownMenu = menu.Root;
const DropdownMenuTrigger = menu.Trigger;
const DropdownMenuContent = menu.content(
  'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-lg border bg-popover p-1 text-popover-foreground shadow-(--shadow-pop) duration-100 data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
);
export const DropdownMenuLabel = /* @__PURE__ */ menu.part('Label', 'px-2 py-1.5 text-xs text-muted-foreground');
export const DropdownMenuSeparator = /* @__PURE__ */ menu.part('Separator', '-mx-1 my-1 h-px bg-border');

const Item = menu.part(
  'Item',
  "relative flex min-h-7 cursor-default items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none select-none focus:bg-accent data-[disabled]:pointer-events-none data-[disabled]:opacity-50 [&_svg]:shrink-0 [&_svg:not([class*='size-'])]:size-4 [&_svg:not([class*='text-'])]:text-muted-foreground",
);

interface DropdownMenuItemProps extends ComponentProps<typeof Item> {
  /** Used with `label` instead of children. */
  icon?: LucideIcon;
  label?: string;
  destructive?: boolean;
}

export function DropdownMenuItem(props: DropdownMenuItemProps) {
  const { icon: Icon, label, destructive, className, children, ...rest } = props;
  const red = "text-destructive-text focus:bg-destructive-soft [&_svg:not([class*='text-'])]:text-destructive-text";
  return (
    <Item className={cn(destructive && red, className)} {...rest}>
      {children ?? [Icon ? <Icon key="icon" aria-hidden /> : null, label]}
    </Item>
  );
}

export function Menu(props: { trigger: ReactNode; align: 'start' | 'end'; children: ReactNode }) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>{props.trigger}</DropdownMenuTrigger>
      <DropdownMenuContent align={props.align}>{props.children}</DropdownMenuContent>
    </DropdownMenu>
  );
}
