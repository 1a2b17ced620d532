'use client';

import type { ComponentProps, ReactNode } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { Field } from '@/components/form/field';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import { Textarea } from '@/components/ui/textarea';

interface TextFieldProps<Values extends FieldValues, Context, Output> {
  control: Control<Values, Context, Output>;
  name: FieldPath<Values>;
  label: ReactNode;
  hint?: ReactNode;
  optional?: boolean;
  type?: ComponentProps<'input'>['type'];
  placeholder?: string;
  autoComplete?: string;
  inputMode?: ComponentProps<'input'>['inputMode'];
  /** Monospaced, for addresses, ids and the like. */
  code?: boolean;
  /** Several lines. */
  multiline?: boolean;
  large?: boolean;
  autoFocus?: boolean;
  disabled?: boolean;
  /** What follows the input in the same line, such as a button. */
  suffix?: ReactNode;
  className?: string;
}

/** A text input of a form. */
export function TextField<Values extends FieldValues, Context, Output>({
  control,
  name,
  label,
  hint,
  optional,
  code,
  multiline,
  large,
  suffix,
  className,
  type = 'text',
  ...rest
}: TextFieldProps<Values, Context, Output>) {
  const { field, fieldState } = useController({ control, name });
  const plain = code ? { spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' } : {};
  return (
    <Field label={label} hint={hint} optional={optional} error={fieldState.error?.message} className={className}>
      {(ids) => (
        <div className="flex gap-2">
          {multiline ? (
            <Textarea {...ids} {...plain} {...rest} {...field} value={field.value ?? ''} />
          ) : (
            <Input
              {...ids}
              {...plain}
              {...rest}
              {...field}
              value={field.value ?? ''}
              type={type}
              className={cn(code && 'font-mono', large && 'h-9')}
            />
          )}
          {suffix}
        </div>
      )}
    </Field>
  );
}
