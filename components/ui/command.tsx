import { Command as Primitive } from 'cmdk';
import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { wrapWithStyle } from '@/components/ui/cn';

export const Command = wrapWithStyle(Primitive, 'flex w-full flex-col overflow-hidden');

export function CommandInput(props: ComponentProps<typeof Primitive.Input>) {
  return (
    <div className="flex h-11 items-center gap-2.5 border-b px-4">
      <Search aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      <Primitive.Input
        className="h-full w-full bg-transparent text-base outline-none placeholder:text-muted-foreground"
        {...props}
      />
    </div>
  );
}

export const CommandList = wrapWithStyle(
  Primitive.List,
  'max-h-80 scroll-py-1 overflow-x-hidden overflow-y-auto p-1.5',
);
export const CommandEmpty = wrapWithStyle(Primitive.Empty, 'py-8 text-center text-sm text-muted-foreground');
export const CommandGroup = wrapWithStyle(
  Primitive.Group,
  'overflow-hidden [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted-foreground',
);
export const CommandItem = wrapWithStyle(
  Primitive.Item,
  'flex min-h-8 cursor-default items-center gap-2.5 rounded-md px-2 text-sm outline-none select-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-accent [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground',
);
