import { useFormContext, useWatch } from 'react-hook-form';
import { describeLimit } from '@/components/named-limits/limit-sentence';
import type { NumbersValues } from '@/components/named-limits/numbers-form';
import { PlacesInputs } from '@/components/named-limits/places-inputs';
import { WindowsEditor } from '@/components/named-limits/windows-editor';
import type { NamedLimit } from '@/lib/contract/named-limits';

/** Inputs for the numbers of a named limit: its windows, and its places if it has some. Inside a `FormProvider`. */
export function NumbersFields({ limit }: { limit: Pick<NamedLimit, 'name' | 'unit'> }) {
  const { control } = useFormContext<NumbersValues>();
  const [windows, places] = useWatch({ control, name: ['windows', 'in_flight'] });
  const sentence = describeLimit({ windows, in_flight: places, unit: limit.unit }).replace(', for each subject', '');
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">Windows</legend>
        <WindowsEditor name="windows" label="Limit" unit={limit.unit} />
      </fieldset>
      {places === null ? null : (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-sm font-medium">Places in flight</legend>
          <PlacesInputs />
        </fieldset>
      )}
      <p aria-live="polite" className="rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums empty:hidden">
        {sentence}
      </p>
    </>
  );
}
