import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { FormFieldProps } from '@/components/form/fields/field';
import { TextField } from '@/components/form/fields/text-field';
import { Button } from '@/components/ui/button';

interface CodeFieldProps<Values extends FieldValues, Context, Output>
  extends Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name'> {
  large?: boolean;
  /** True if recovery codes are accepted too. */
  recovery?: boolean;
}

/** Field for a second-factor code: six digits from the app or, if enabled, a recovery code. */
export function CodeField<Values extends FieldValues, Context, Output>(props: CodeFieldProps<Values, Context, Output>) {
  const { recovery, ...field } = props;
  const [lost, setLost] = useState(false);
  const toggle = recovery ? (
    <Button
      variant="ghost"
      size="inline"
      className="text-primary underline-offset-2 hover:underline"
      onClick={() => setLost(!lost)}
    >
      {lost ? 'Use a code from the app' : 'Use a recovery code'}
    </Button>
  ) : null;
  return (
    <TextField
      {...field}
      code
      label={lost ? 'Recovery code' : 'Code from your authenticator app'}
      placeholder={lost ? 'xxxx-xxxx-xxxx-xxxx' : '123456'}
      inputMode={lost ? 'text' : 'numeric'}
      autoComplete={lost ? 'off' : 'one-time-code'}
      hint={toggle}
    />
  );
}
