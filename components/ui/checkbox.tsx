import { Check, Minus } from 'lucide-react';
import { Checkbox as Primitive } from 'radix-ui';
import { wrapWithStyle } from '@/components/ui/cn';

export const Checkbox = wrapWithStyle(
  Primitive.Root,
  'size-4 shrink-0 rounded-xs border border-input bg-card transition-colors disabled:opacity-50 data-[state=checked]:border-primary data-[state=checked]:bg-primary data-[state=checked]:text-primary-foreground data-[state=indeterminate]:border-primary data-[state=indeterminate]:bg-primary data-[state=indeterminate]:text-primary-foreground',
  {
    children: (
      <Primitive.Indicator className="group/mark grid place-content-center">
        <Check aria-hidden className="size-3.5 group-data-[state=indeterminate]/mark:hidden" strokeWidth={3} />
        <Minus aria-hidden className="hidden size-3.5 group-data-[state=indeterminate]/mark:block" strokeWidth={3} />
      </Primitive.Indicator>
    ),
  },
);
