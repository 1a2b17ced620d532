import { type ReactNode, useId } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { Label } from '@/components/ui/label';

interface FieldText {
  label: ReactNode;
  hint?: ReactNode;
  optional?: boolean;
}

export interface FormFieldProps<Values extends FieldValues, Context, Output> extends FieldText {
  control: Control<Values, Context, Output>;
  name: FieldPath<Values>;
  disabled?: boolean;
}

interface FieldProps extends FieldText {
  error?: string;
  /** Renders the control with the ids that link it to label, hint and error. */
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}

/** Lays out every field: label, control, hint and error. */
export function Field({ label, hint, error, optional, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter(Boolean).join(' ');
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-baseline justify-between gap-2">
        <Label htmlFor={id}>{label}</Label>
        {optional ? <span className="text-xs text-muted-foreground">optional</span> : null}
      </div>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error ? true : undefined })}
      {error ? (
        <p id={`${id}-error`} className="text-xs text-destructive-text">
          {error}
        </p>
      ) : null}
      {hint ? (
        <div id={`${id}-hint`} className="text-xs text-muted-foreground">
          {hint}
        </div>
      ) : null}
    </div>
  );
}
