import type { ComponentProps, KeyboardEvent, ReactNode } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { z } from 'zod';
import { SavedConflict } from '@/components/form/draft/draft-note';
import { Field, type FormFieldProps } from '@/components/form/fields/field';
import { cn } from '@/components/ui/cn';
import { Input, Textarea } from '@/components/ui/input';

export const NameInput = z.string().trim().min(1, 'Enter a name.').max(100, 'At most 100 characters.');

interface TextFieldProps<Values extends FieldValues, Context, Output>
  extends FormFieldProps<Values, Context, Output>,
    Pick<ComponentProps<'input'>, 'type' | 'placeholder' | 'autoComplete' | 'inputMode'> {
  /** For addresses and ids: monospaced, and the browser does not complete or correct the text. */
  code?: boolean;
  multiline?: boolean;
  large?: boolean;
  /** Content after the input on the same line, such as a button. */
  suffix?: ReactNode;
}

/** Submits on Ctrl+Enter or Command+Enter, because Enter inserts a new line. */
function sendByKey(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

export function TextField<Values extends FieldValues, Context, Output>(props: TextFieldProps<Values, Context, Output>) {
  const { control, name, label, hint, optional, code, multiline, large, suffix, type = 'text', ...rest } = props;
  const { field, fieldState } = useController({ control, name });
  const plain = code ? { autoComplete: 'off', spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' } : {};
  const value: string = field.value ?? '';
  return (
    <Field label={label} hint={hint} optional={optional} error={fieldState.error?.message}>
      {(ids) => {
        const input = { ...ids, ...plain, ...rest, ...field, value };
        return (
          <>
            <div className="flex gap-2">
              {multiline ? (
                <Textarea {...input} onKeyDown={sendByKey} className="max-h-48" />
              ) : (
                <Input {...input} type={type} className={cn(code && 'font-mono', large && 'h-9')} />
              )}
              {suffix}
            </div>
            <SavedConflict path={name} />
          </>
        );
      }}
    </Field>
  );
}
