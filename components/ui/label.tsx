import { Label as Primitive } from 'radix-ui';
import { wrapWithStyle } from '@/components/ui/cn';

export const Label = wrapWithStyle(Primitive.Root, 'text-sm font-medium select-none');
