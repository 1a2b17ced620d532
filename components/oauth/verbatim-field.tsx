import type { ReactNode } from 'react';
import { Field } from '@/components/form/fields/field';
import { cn } from '@/components/ui/cn';
import { Input, Textarea } from '@/components/ui/input';

/** Attributes of inputs whose text the browser must not change. */
export const VERBATIM = { spellCheck: false, autoComplete: 'off', autoCapitalize: 'off', dir: 'ltr' } as const;

interface VerbatimFieldProps {
  label: ReactNode;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  optional?: boolean;
  error?: string;
  placeholder?: string;
  multiline?: boolean;
  type?: 'text' | 'password' | 'url';
  /** Content after the input on the same line, such as a button. */
  suffix?: ReactNode;
  onEnter?: () => void;
  className?: string;
}

/** Field for verbatim text, such as addresses, ids and keys. */
export function VerbatimField(props: VerbatimFieldProps) {
  const { label, value, onChange, hint, optional, error, placeholder } = props;
  const { multiline, type = 'text', suffix, onEnter, className } = props;
  return (
    <Field label={label} hint={hint} optional={optional} error={error}>
      {(ids) => (
        <div className="flex gap-1.5">
          {multiline ? (
            <Textarea
              {...ids}
              {...VERBATIM}
              className={cn('max-h-40 font-mono text-xs', className)}
              value={value}
              placeholder={placeholder}
              onChange={({ target }) => onChange(target.value)}
            />
          ) : (
            <Input
              {...ids}
              {...VERBATIM}
              type={type}
              className={cn('flex-1 font-mono text-xs', className)}
              value={value}
              placeholder={placeholder}
              onChange={({ target }) => onChange(target.value)}
              onKeyDown={({ key }) => key === 'Enter' && onEnter?.()}
            />
          )}
          {suffix}
        </div>
      )}
    </Field>
  );
}
