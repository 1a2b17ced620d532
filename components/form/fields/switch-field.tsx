import { useId } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import type { FormFieldProps } from '@/components/form/fields/field';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';

/** Switch of a form, with the label before it. */
export function SwitchField<Values extends FieldValues, Context, Output>(
  props: FormFieldProps<Values, Context, Output>,
) {
  const { control, name, label, hint, disabled } = props;
  const id = useId();
  const { field } = useController({ control, name });
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="flex flex-col gap-0.5">
        <Label htmlFor={id}>{label}</Label>
        {hint ? (
          <p id={`${id}-hint`} className="text-xs text-muted-foreground">
            {hint}
          </p>
        ) : null}
      </div>
      <Switch
        id={id}
        ref={field.ref}
        aria-describedby={hint ? `${id}-hint` : undefined}
        checked={field.value === true}
        onCheckedChange={field.onChange}
        disabled={disabled}
      />
    </div>
  );
}
