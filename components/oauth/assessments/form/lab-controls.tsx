import { useController, useFormContext } from 'react-hook-form';
import { useCatalogue } from '@/components/oauth/assessments/catalogue';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { TitledCard } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { Segmented } from '@/components/ui/segmented';
import { FAPI_REQUIREMENTS, SWITCHES } from '@/lib/contract/lab-switches';
import { type FapiRequirement, listDisabledControls, PRESET_NAMES, PRESETS } from '@/lib/oauth/lab/controls';

const CUSTOM = 'custom';

/** Behaviour of the lab if a requirement is on. */
const REQUIREMENTS: Readonly<Record<FapiRequirement, string>> = {
  'fapi-key-authentication': 'Every client authenticates with a key',
  'fapi-pushed-requests': 'Only pushed authorization requests are answered',
  'fapi-bound-tokens': 'Every token is bound to a DPoP key',
  'fapi-assertion-audience': 'The audience of a client assertion is only the issuer',
  'fapi-no-rotation': 'Refresh tokens do not rotate',
  'fapi-algorithms': 'DPoP proofs are not signed with RS256',
};

/** Selects the lab controls that are off, by preset or individually, and what FAPI 2.0 requires beyond them. */
export default function LabControls() {
  const { control } = useFormContext<AssessmentValues>();
  const { field } = useController({ control, name: 'off' });
  const { field: required } = useController({ control, name: 'requirements' });
  const titles = new Map(useCatalogue()?.map(({ id, title }) => [id, title]));
  const off = new Set(field.value);
  const on = new Set(required.value);
  const preset = PRESET_NAMES.find((name) => {
    const ids = listDisabledControls(PRESETS[name]);
    return ids.length === off.size && ids.every((id) => off.has(id));
  });
  const choose = (name: string) => {
    const preset = PRESET_NAMES.find((each) => each === name);
    if (preset) field.onChange(listDisabledControls(PRESETS[preset]));
  };
  return (
    <>
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
        <Choices
          ids={SWITCHES}
          titles={(id) => titles.get(id) ?? id}
          isOn={(id) => !off.has(id)}
          onChange={(id, isOn) => field.onChange(SWITCHES.filter((each) => (each === id ? !isOn : off.has(each))))}
        />
      </TitledCard>
      <TitledCard
        title="FAPI 2.0"
        aside={
          <Segmented
            label="FAPI 2.0"
            value={on.size === 0 ? 'off' : on.size === FAPI_REQUIREMENTS.length ? 'required' : CUSTOM}
            onChange={(name) => required.onChange(name === 'required' ? [...FAPI_REQUIREMENTS] : [])}
            options={['off', 'required'].map((name) => ({ value: name, label: name }))}
          />
        }
      >
        <Choices
          ids={FAPI_REQUIREMENTS}
          titles={(id) => REQUIREMENTS[id]}
          isOn={(id) => on.has(id)}
          onChange={(id, isOn) =>
            required.onChange(FAPI_REQUIREMENTS.filter((each) => (each === id ? isOn : on.has(each))))
          }
        />
      </TitledCard>
    </>
  );
}

interface ChoicesProps<Id extends string> {
  ids: readonly Id[];
  titles: (id: Id) => string;
  isOn: (id: Id) => boolean;
  onChange: (id: Id, isOn: boolean) => void;
}

/** Shows a checkbox for each id. */
function Choices<Id extends string>({ ids, titles, isOn, onChange }: ChoicesProps<Id>) {
  return (
    <ul className="grid gap-x-5 gap-y-2 sm:grid-cols-2">
      {ids.map((id) => (
        <li key={id} className="flex items-start gap-2.5 text-sm">
          <Checkbox
            id={`lab-${id}`}
            className="mt-0.5"
            checked={isOn(id)}
            onCheckedChange={(checked) => onChange(id, checked === true)}
          />
          <label htmlFor={`lab-${id}`} className="min-w-0">
            {titles(id)}
          </label>
        </li>
      ))}
    </ul>
  );
}
