import type { ComponentProps } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { SavedConflict } from '@/components/form/draft/draft-note';
import { Field, type FormFieldProps } from '@/components/form/fields/field';
import { Select } from '@/components/ui/select';

/** Select field of a form. Hints appear only in the open list. */
export function SelectField<Values extends FieldValues, Context, Output>(
  props: FormFieldProps<Values, Context, Output> &
    Pick<ComponentProps<typeof Select>, 'options'> & {
      /** Runs after a choice, to change fields that depend on it. */
      onChosen?: (value: string) => void;
    },
) {
  const { control, name, options, disabled, onChosen, ...frame } = props;
  const { field, fieldState } = useController({ control, name });
  return (
    <Field {...frame} error={fieldState.error?.message}>
      {(ids) => (
        <>
          <Select
            {...ids}
            ref={field.ref}
            value={field.value}
            onChange={(value) => {
              field.onChange(value);
              onChosen?.(value);
            }}
            onBlur={field.onBlur}
            options={options}
            disabled={disabled}
          />
          <SavedConflict
            path={name}
            words={(saved) => String(options.find(({ value }) => value === saved)?.label ?? saved)}
          />
        </>
      )}
    </Field>
  );
}
