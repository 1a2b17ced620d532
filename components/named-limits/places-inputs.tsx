import { useController, useFormContext } from 'react-hook-form';
import { Field } from '@/components/form/fields/field';
import { NumberInput } from '@/components/form/fields/number-input';
import { WindowInput } from '@/components/form/fields/window-input';
import type { NumbersValues } from '@/components/named-limits/numbers-form';

/** Inputs for how many places there are, and how long one is held. Inside a `FormProvider`. */
export function PlacesInputs() {
  const { control } = useFormContext<NumbersValues>();
  const places = useController({ control, name: 'in_flight.limit' });
  const lease = useController({ control, name: 'in_flight.lease_seconds' });
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label="At once" error={places.fieldState.error?.message}>
        {(ids) => <NumberInput {...ids} {...places.field} onChange={(value) => places.field.onChange(value)} />}
      </Field>
      <Field label="Lease" error={lease.fieldState.error?.message}>
        {(ids) => <WindowInput {...ids} {...lease.field} label="Lease of a place" />}
      </Field>
    </div>
  );
}
