import { Label as Primitive } from 'radix-ui';
import { withStyle } from '@/components/ui/cn';

export const Label = withStyle(Primitive.Root, 'text-sm font-medium select-none');
