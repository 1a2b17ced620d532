import { useState } from 'react';
import { useController, useFormContext } from 'react-hook-form';
import { SavedConflict } from '@/components/form/draft/draft-note';
import { Field } from '@/components/form/fields/field';
import { SwitchField } from '@/components/form/fields/switch-field';
import type { PolicyValues } from '@/components/limits/policy-form-values';
import { TitledCard } from '@/components/ui/card';
import { Input } from '@/components/ui/input';

/** Settings for cross-origin requests (CORS) of scripts. */
export function CrossOriginCard() {
  const { control } = useFormContext<PolicyValues>();
  return (
    <TitledCard
      header="justify-start"
      title="Other origins"
      description="Requests of scripts in browsers, by CORS."
      className="flex max-w-2xl flex-col gap-3"
    >
      <SwitchField
        control={control}
        name="count_preflights"
        label="Count preflights"
        hint="If off, only the global throttle bounds them."
      />
      <OriginsField />
    </TitledCard>
  );
}

function OriginsField() {
  const { control } = useFormContext<PolicyValues>();
  const { field, fieldState } = useController({ control, name: 'cors_origins' });
  const [typed, setTyped] = useState<string | null>(null);
  const errors = [fieldState.error].flat();
  return (
    <Field label="Origins that may read refusals" error={errors.find((error) => error)?.message}>
      {(ids) => (
        <>
          <Input
            {...ids}
            ref={field.ref}
            name={field.name}
            value={typed ?? field.value.join(', ')}
            onChange={(event) => {
              setTyped(event.target.value);
              field.onChange(event.target.value.split(/[\s,]+/).filter((origin) => origin !== ''));
            }}
            onBlur={() => {
              setTyped(null);
              field.onBlur();
            }}
            placeholder="https://app.example.com, https://www.example.com"
            className="font-mono"
            spellCheck={false}
          />
          <SavedConflict path={field.name} words={(saved) => (Array.isArray(saved) ? saved.join(', ') : '')} />
        </>
      )}
    </Field>
  );
}
