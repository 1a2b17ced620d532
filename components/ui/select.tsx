import { Check, ChevronDown } from 'lucide-react';
import { Select as Primitive } from 'radix-ui';
import type { ComponentProps } from 'react';
import { useDenial } from '@/components/ui/denial';

interface SelectProps extends Omit<ComponentProps<typeof Primitive.Trigger>, 'value' | 'onChange'> {
  options: readonly { value: string; label: string; hint?: string }[];
  value: string;
  onChange: (value: string) => void;
}

/** List of options that opens over the page. The `hint` of an option appears only in the open list. */
export function Select({ options, value, onChange, disabled, ...trigger }: SelectProps) {
  const denied = useDenial(trigger);
  return (
    <Primitive.Root value={value} onValueChange={onChange} disabled={disabled} {...(denied ? { open: false } : {})}>
      <Primitive.Trigger
        className="inline-flex h-8 w-full items-center justify-between gap-2 rounded-md border border-input bg-card px-2.5 text-sm whitespace-nowrap transition-colors hover:bg-accent/50 disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:cursor-not-allowed aria-disabled:opacity-60 aria-invalid:border-destructive data-[placeholder]:text-muted-foreground"
        {...trigger}
        {...denied?.props}
      >
        <Primitive.Value />
        <Primitive.Icon asChild>
          <ChevronDown aria-hidden className="size-4 text-muted-foreground" />
        </Primitive.Icon>
      </Primitive.Trigger>
      {denied?.tip}
      <Primitive.Portal>
        <Primitive.Content
          position="popper"
          sideOffset={4}
          className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) overflow-y-auto rounded-lg border bg-popover text-popover-foreground shadow-(--shadow-pop) data-[state=open]:animate-in data-[state=open]:fade-in-0"
        >
          <Primitive.Viewport className="p-1">
            {options.map(({ value, label, hint }) => (
              <Primitive.Item
                key={value}
                value={value}
                className="relative flex min-h-7 cursor-default items-center gap-4 rounded-sm py-1 pr-8 pl-2 text-sm outline-none select-none focus:bg-accent data-[disabled]:opacity-50"
              >
                <Primitive.ItemText>{label}</Primitive.ItemText>
                {hint ? <span className="ml-auto text-xs text-muted-foreground">{hint}</span> : null}
                <Primitive.ItemIndicator className="absolute right-2">
                  <Check aria-hidden className="size-4" />
                </Primitive.ItemIndicator>
              </Primitive.Item>
            ))}
          </Primitive.Viewport>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
