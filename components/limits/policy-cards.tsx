import { useController, useFormContext } from 'react-hook-form';
import { SavedConflict } from '@/components/form/draft/draft-note';
import { Field } from '@/components/form/fields/field';
import { NumberInput } from '@/components/form/fields/number-input';
import { OptionalNumberInput } from '@/components/form/fields/optional-number-input';
import { SwitchField } from '@/components/form/fields/switch-field';
import { CrossOriginCard } from '@/components/limits/cross-origin-card';
import { LeaseRow } from '@/components/limits/lease-row';
import { LimitRow } from '@/components/limits/limit-row';
import type { PolicyValues } from '@/components/limits/policy-form-values';
import { StoreFailureChoice } from '@/components/policies/store-failure-choice';
import { TitledCard } from '@/components/ui/card';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { type QuotaTier, QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import { formatNumber } from '@/lib/format-number';
import type { EndpointClass } from '@/lib/limiter/meter';

const COVERS: Record<EndpointClass, string> = {
  auth: 'Authorization endpoints and sign-in attempts.',
  sensitive: 'Routes that a rule marks as sensitive.',
  read: 'Safe methods: GET, HEAD, OPTIONS, QUERY, PROPFIND, REPORT, SEARCH.',
  write: 'Every other method.',
  lab: 'OAuth lab requests of signed-in members.',
};

export function ClassCard({ name }: { name: EndpointClass }) {
  const { control } = useFormContext<PolicyValues>();
  const { field } = useController({ control, name: `classes.${name}.on_store_failure` });
  const row = { group: CLASS_NAMES[name] };
  return (
    <TitledCard header="justify-start" title={row.group} description={COVERS[name]}>
      <LimitRow {...row} path={`classes.${name}.ip`} label="Per address" />
      <LimitRow {...row} path={`classes.${name}.user`} label="Per user" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
        <span className="w-34 text-sm">If the store is down</span>
        <StoreFailureChoice
          label={`${row.group}, if the store is down`}
          value={field.value}
          onChange={field.onChange}
        />
      </div>
      <LeaseRow name={name} />
    </TitledCard>
  );
}

/** Edits the limits of clients. */
export function ClientsCard() {
  return (
    <TitledCard header="justify-start" title="Clients" description="All classes together, by API key or OAuth client.">
      <LimitRow group="Clients" path="clients.public" label="Public" />
      <LimitRow group="Clients" path="clients.confidential" label="Confidential" />
    </TitledCard>
  );
}

/** Edits limits that belong to no caller: the throttle of an instance, the tiers' quotas, and exceptions. */
export function CommonLimits() {
  return (
    <>
      <TitledCard
        header="justify-start"
        title="Global throttle"
        description="All requests that one instance serves; beyond it, 503."
      >
        <LimitRow path="global" group="Global throttle" label="Instance" />
      </TitledCard>
      <TitledCard
        header="justify-start"
        title="Tiers"
        description="The monthly quota of an API key: a request uses its cost, usually 1. A tier can also limit the requests per minute."
        className="grid grid-cols-2 gap-3 sm:grid-cols-4"
      >
        {QuotaTierSchema.options.map((tier) => (
          <div key={tier} className="flex flex-col gap-2">
            <TierField tier={tier} />
            <OptionalNumber
              name={`tier_rates.${tier}`}
              label="Requests per minute"
              fullLabel={`${TIER_NAMES[tier]}, requests per minute`}
              placeholder="by client type"
            />
          </div>
        ))}
      </TitledCard>
      <ExceptionsCard />
      <CrossOriginCard />
    </>
  );
}

function ExceptionsCard() {
  const { control } = useFormContext<PolicyValues>();
  return (
    <TitledCard
      header="justify-start"
      title="Exceptions"
      description="For new and edited allowlist entries, overrides and grants."
      className="flex max-w-2xl flex-col gap-3"
    >
      <div className="max-w-44">
        <OptionalNumber name="exceptions.longest_days" label="Longest life in days" placeholder="any" />
      </div>
      <SwitchField
        control={control}
        name="exceptions.allow_everyone"
        label="Allow entries for every address"
        hint="0.0.0.0/0 and ::/0 may be put on the allowlist."
      />
    </TitledCard>
  );
}

function TierField({ tier }: { tier: QuotaTier }) {
  const { control } = useFormContext<PolicyValues>();
  const { field, fieldState } = useController({ control, name: `tiers.${tier}` });
  return (
    <Field label={TIER_NAMES[tier]} error={fieldState.error?.message}>
      {(ids) => (
        <>
          <NumberInput {...ids} {...field} />
          <SavedConflict path={field.name} words={(value) => formatNumber(Number(value))} />
        </>
      )}
    </Field>
  );
}

interface OptionalNumberProps {
  name: `tier_rates.${QuotaTier}` | 'exceptions.longest_days';
  label: string;
  /** Longer label, for labels that need their context. */
  fullLabel?: string;
  /** Describes the default that applies if the field is empty. */
  placeholder: string;
}

function OptionalNumber({ name, label, fullLabel, placeholder }: OptionalNumberProps) {
  const { control } = useFormContext<PolicyValues>();
  const { field, fieldState } = useController({ control, name });
  return (
    <Field label={label} error={fieldState.error?.message}>
      {(ids) => (
        <>
          <OptionalNumberInput
            {...ids}
            {...field}
            {...(fullLabel === undefined ? {} : { 'aria-label': fullLabel })}
            placeholder={placeholder}
          />
          <SavedConflict path={name} words={(saved) => (saved === null ? 'none' : formatNumber(Number(saved)))} />
        </>
      )}
    </Field>
  );
}
