import { useController, useFormContext } from 'react-hook-form';
import { useCatalogue } from '@/components/oauth/assessments/catalogue';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { TitledCard } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { Segmented } from '@/components/ui/segmented';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { listDisabledControls, PRESET_NAMES, PRESETS } from '@/lib/oauth/lab/controls';

const CUSTOM = 'custom';

/** Selects the lab controls that are off, by preset or individually. */
export default function LabControls() {
  const { control } = useFormContext<AssessmentValues>();
  const { field } = useController({ control, name: 'off' });
  const titles = new Map(useCatalogue()?.map(({ id, title }) => [id, title]));
  const off = new Set(field.value);
  const preset = PRESET_NAMES.find((name) => {
    const ids = listDisabledControls(PRESETS[name]);
    return ids.length === off.size && ids.every((id) => off.has(id));
  });
  const choose = (name: string) => {
    const known = PRESET_NAMES.find((each) => each === name);
    if (known) field.onChange(listDisabledControls(PRESETS[known]));
  };
  return (
    <TitledCard
      title="Controls"
      aside={
        <Segmented
          label="Preset"
          value={preset ?? CUSTOM}
          onChange={choose}
          options={PRESET_NAMES.map((name) => ({ value: name, label: name }))}
        />
      }
    >
      <ul className="grid gap-x-5 gap-y-2 sm:grid-cols-2">
        {SWITCHES.map((id) => (
          <li key={id} className="flex items-start gap-2.5 text-sm">
            <Checkbox
              id={`lab-${id}`}
              className="mt-0.5"
              checked={!off.has(id)}
              onCheckedChange={(on) =>
                field.onChange(SWITCHES.filter((each) => (each === id ? on !== true : off.has(each))))
              }
            />
            <label htmlFor={`lab-${id}`} className="min-w-0">
              {titles.get(id) ?? id}
            </label>
          </li>
        ))}
      </ul>
    </TitledCard>
  );
}
