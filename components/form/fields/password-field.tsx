import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { FormFieldProps } from '@/components/form/fields/field';
import { TextField } from '@/components/form/fields/text-field';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';

interface PasswordFieldProps<Values extends FieldValues, Context, Output>
  extends FormFieldProps<Values, Context, Output> {
  autoComplete: 'current-password' | 'new-password';
  large?: boolean;
}

/** Password input with a button that reveals the text. */
export function PasswordField<Values extends FieldValues, Context, Output>(
  props: PasswordFieldProps<Values, Context, Output>,
) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <TextField
      {...props}
      type={shown ? 'text' : 'password'}
      code={shown}
      suffix={
        <Button
          variant="outline"
          size="icon"
          className={cn(props.large && 'size-9')}
          aria-pressed={shown}
          aria-label="Show password"
          onClick={() => setShown(!shown)}
        >
          <Icon aria-hidden />
        </Button>
      }
    />
  );
}
