import { Switch as Primitive } from 'radix-ui';
import type { ComponentProps } from 'react';
import { wrapWithStyle } from '@/components/ui/cn';
import { useDenial } from '@/components/ui/denial';

const Toggle = wrapWithStyle(
  Primitive.Root,
  'inline-flex h-5 w-8.5 shrink-0 items-center rounded-full border border-transparent bg-muted-foreground/60 transition-colors disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 data-[state=checked]:bg-primary',
  {
    children: (
      <Primitive.Thumb className="block size-4 translate-x-px rounded-full bg-card transition-transform data-[state=checked]:translate-x-[15px]" />
    ),
  },
);

export function Switch({ onCheckedChange, ...props }: ComponentProps<typeof Toggle>) {
  const denied = useDenial(props);
  if (denied === null) return <Toggle {...props} onCheckedChange={onCheckedChange} />;
  return (
    <>
      <Toggle {...props} {...denied.props} />
      {denied.tip}
    </>
  );
}
