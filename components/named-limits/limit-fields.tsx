import { useController, useFormContext, useWatch } from 'react-hook-form';
import { Field } from '@/components/form/fields/field';
import { OptionalNumberInput } from '@/components/form/fields/optional-number-input';
import { TextField } from '@/components/form/fields/text-field';
import type { LimitValues } from '@/components/named-limits/limit-form-values';
import { describeLimit, describeNumbers } from '@/components/named-limits/limit-sentence';
import { PlacesInputs } from '@/components/named-limits/places-inputs';
import { suggestWindow, WindowsEditor } from '@/components/named-limits/windows-editor';
import { StoreFailureChoice } from '@/components/policies/store-failure-choice';
import { Button } from '@/components/ui/button';
import { Disclosure } from '@/components/ui/disclosure';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { type QuotaTier, QuotaTierSchema } from '@/lib/contract/fields/enumerations';

/** Inputs of a named limit, inside a `FormProvider`. The name of an existing limit stays. */
export function LimitFields({ isNew }: { isNew: boolean }) {
  const { control } = useFormContext<LimitValues>();
  const values = useWatch<LimitValues>({ control }) as LimitValues;
  const sentence = describeLimit(values);
  return (
    <>
      {isNew ? (
        <TextField
          control={control}
          name="name"
          label="Name"
          placeholder="sms"
          hint="Checks and route rules name it. It cannot be changed."
          code
        />
      ) : null}
      <TextField
        control={control}
        name="description"
        label="Description"
        placeholder="Codes by text message, for each phone number"
        optional
        autoComplete="off"
      />
      <TextField
        control={control}
        name="unit"
        label="Counts"
        placeholder="requests"
        hint="What is counted: requests, tokens, bytes or any other word."
        autoComplete="off"
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">Windows</legend>
        <WindowsEditor name="windows" label="Limit" unit={values.unit} />
      </fieldset>
      <PlacesField />
      <p aria-live="polite" className="rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums empty:hidden">
        {sentence}
      </p>
      <StoreFailureField />
      <Disclosure title="Limits of tiers, and the lease" initiallyOpen={hasAdvancedValues(values)} className="-mx-1.5">
        <div className="flex flex-col gap-4">
          <fieldset className="flex flex-col gap-3">
            <legend className="mb-2 text-xs text-muted-foreground">
              API keys of a tier can have windows in place of those above.
            </legend>
            {QuotaTierSchema.options.map((tier) => (
              <TierField key={tier} tier={tier} />
            ))}
          </fieldset>
          <LeaseField />
        </div>
      </Disclosure>
    </>
  );
}

const hasAdvancedValues = ({ tiers, lease }: LimitValues) =>
  lease !== null || Object.values(tiers).some((rows) => rows.length > 0);

/** Switches places in flight on, and edits how many there are and how long one is held. */
function PlacesField() {
  const { control } = useFormContext<LimitValues>();
  const { field } = useController({ control, name: 'in_flight' });
  const isOn = field.value !== null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-start justify-between gap-4">
        <div className="flex flex-col gap-0.5">
          <Label htmlFor="limit-places">Places in flight</Label>
          <p id="limit-places-hint" className="text-xs text-muted-foreground">
            A check holds a place until it is settled, or until its lease ends.
          </p>
        </div>
        <Switch
          id="limit-places"
          ref={field.ref}
          aria-describedby="limit-places-hint"
          checked={isOn}
          onCheckedChange={(on) => field.onChange(on ? { limit: 3, lease_seconds: 60 } : null)}
        />
      </div>
      {isOn ? <PlacesInputs /> : null}
    </div>
  );
}

function StoreFailureField() {
  const { control } = useFormContext<LimitValues>();
  const { field } = useController({ control, name: 'on_store_failure' });
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium">If the store is down</span>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StoreFailureChoice label="If the store is down" value={field.value} onChange={field.onChange} />
      </div>
    </div>
  );
}

/** Windows for the API keys of one tier. Without any, those of the limit apply. */
function TierField({ tier }: { tier: QuotaTier }) {
  const { control, setValue } = useFormContext<LimitValues>();
  const [rows, windows, unit] = useWatch({ control, name: [`tiers.${tier}`, 'windows', 'unit'] });
  const name = TIER_NAMES[tier];
  const set = (next: typeof rows) => setValue(`tiers.${tier}`, next, { shouldDirty: true, shouldValidate: true });
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-3 text-sm">
        <span className="font-medium">{name}</span>
        {rows.length === 0 ? (
          <Button
            variant="outline"
            size="sm"
            aria-label={`Set numbers for ${name}`}
            onClick={() => set(windows.length > 0 ? windows.map((row) => ({ ...row })) : [suggestWindow([])])}
          >
            Set numbers
          </Button>
        ) : (
          <Button variant="ghost" size="sm" aria-label={`As above: ${name}`} onClick={() => set([])}>
            As above
          </Button>
        )}
      </div>
      {rows.length === 0 ? (
        <p className="text-xs text-muted-foreground">{describeNumbers({ windows, unit }) || 'As above.'}</p>
      ) : (
        <WindowsEditor name={`tiers.${tier}`} label={`${name} tier`} unit={unit} />
      )}
    </div>
  );
}

/** Edits the units that an instance may hold of one hot subject. Empty means none. */
function LeaseField() {
  const { control } = useFormContext<LimitValues>();
  const { field, fieldState } = useController({ control, name: 'lease' });
  return (
    <Field
      label="Lease"
      optional
      error={fieldState.error?.message}
      hint="With counters in Redis: units of one busy subject that an instance may decide by itself, for up to a second."
    >
      {(ids) => <OptionalNumberInput {...ids} {...field} placeholder="none" className="w-28" />}
    </Field>
  );
}
