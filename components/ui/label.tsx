import { Label as Primitive } from 'radix-ui';
import { styled } from '@/components/ui/cn';

export const Label = styled(Primitive.Root, 'text-sm font-medium select-none');
