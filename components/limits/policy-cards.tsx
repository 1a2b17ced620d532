import { type FieldPath, get, useController, useFormContext, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { SavedMeanwhile } from '@/components/form/draft-note';
import { Field } from '@/components/form/field';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { TIER_NAMES } from '@/components/keys/tiers';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { limitEffect } from '@/components/limits/limit-words';
import { TitledCard } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import { Segmented } from '@/components/ui/segmented';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { PoliciesSchema } from '@/lib/contract/policies';
import type { EndpointClass } from '@/lib/limiter/meter';

export type PolicyValues = z.input<typeof PoliciesSchema>;

const NUMBER = 'tabular-nums [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none';

interface LimitRowProps {
  path: `classes.${EndpointClass}.${'ip' | 'user'}` | `clients.${'public' | 'confidential'}` | 'global';
  /** Prefix of the accessible names. */
  group: string;
  label: string;
  disabled: boolean;
}

/** One limit, edited in place: requests, window, and their effect in words. */
function LimitRow({ path, group, label, disabled }: LimitRowProps) {
  const { control, register, getFieldState, formState } = useFormContext<PolicyValues>();
  const names = [`${path}.limit`, `${path}.window_seconds`] as [FieldPath<PolicyValues>, FieldPath<PolicyValues>];
  const [limit, seconds] = useWatch({ control, name: names });
  const states = names.map((name) => getFieldState(name, formState));
  const error = states.find((state) => state.error)?.error?.message;
  const dirty = states.some((state) => state.isDirty);
  const saved = get(formState.defaultValues, path) as { limit: number; window_seconds: number } | undefined;
  const input = (index: 0 | 1, what: string) => (
    <Input
      {...register(names[index], { valueAsNumber: true })}
      type="number"
      min={0}
      inputMode="numeric"
      aria-label={`${group}, ${label.toLowerCase()}, ${what}`}
      aria-describedby={`${path}-effect`}
      aria-invalid={states[index]?.error ? true : undefined}
      disabled={disabled}
      className={cn('w-24 text-right', NUMBER)}
    />
  );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <span className="flex w-34 items-center gap-1.5 text-sm">
        {label}
        {dirty ? <span title="changed" className="size-1.5 rounded-full bg-primary" /> : null}
      </span>
      <span className="flex items-center gap-2 text-sm text-muted-foreground">
        {input(0, 'requests')} in {input(1, 'window in seconds')} s
      </span>
      <span
        id={`${path}-effect`}
        className={cn('min-w-0 flex-1 basis-56 text-xs', error ? 'text-destructive-text' : 'text-muted-foreground')}
      >
        {error ?? limitEffect(Number(limit), Number(seconds))}
        <SavedMeanwhile path={names[0]} words={(value) => `${String(value)} requests`} />
        <SavedMeanwhile path={names[1]} words={(value) => formatWindow(Number(value))} />
        {dirty && saved ? ` (saved: ${formatNumber(saved.limit)} in ${formatWindow(saved.window_seconds)})` : ''}
      </span>
    </div>
  );
}

const COVERS: Record<EndpointClass, string> = {
  auth: 'Authorization endpoints and sign-in attempts.',
  sensitive: 'Routes that a rule marks as sensitive.',
  read: 'GET and HEAD.',
  write: 'Every other method.',
  lab: 'OAuth lab requests of signed-in members.',
};

export function ClassCard({ name, disabled }: { name: EndpointClass; disabled: boolean }) {
  const { control } = useFormContext<PolicyValues>();
  const { field } = useController({ control, name: `classes.${name}.on_store_failure` });
  const row = { group: CLASS_NAMES[name], disabled };
  return (
    <TitledCard header="justify-start" title={row.group} description={COVERS[name]}>
      <LimitRow {...row} path={`classes.${name}.ip`} label="Per address" />
      <LimitRow {...row} path={`classes.${name}.user`} label="Per user" />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
        <span className="w-34 text-sm">If the store is down</span>
        <Segmented
          label={`${row.group}, if the store is down`}
          value={field.value}
          onChange={field.onChange}
          disabled={disabled}
          options={[
            { value: 'closed', label: 'Refuse' },
            { value: 'local', label: 'Allow half' },
          ]}
        />
        <span className="min-w-0 flex-1 basis-56 text-xs text-muted-foreground">
          {field.value === 'closed'
            ? 'Answers 503 while the counter store is down.'
            : 'Each process allows half the limit on its own while the counter store is down.'}
        </span>
      </div>
    </TitledCard>
  );
}

/** The limits that are no class's: of clients, of an instance, and the quotas of tiers. */
export function CommonLimits({ disabled }: { disabled: boolean }) {
  const { register, formState } = useFormContext<PolicyValues>();
  const clients = { group: 'Clients', disabled };
  return (
    <>
      <TitledCard
        header="justify-start"
        title="Clients"
        description="All classes together, by API key or OAuth client."
      >
        <LimitRow {...clients} path="clients.public" label="Public" />
        <LimitRow {...clients} path="clients.confidential" label="Confidential" />
      </TitledCard>
      <TitledCard
        header="justify-start"
        title="Global throttle"
        description="All requests that one instance serves; beyond it, 503."
      >
        <LimitRow path="global" group="Global throttle" label="Instance" disabled={disabled} />
      </TitledCard>
      <TitledCard
        header="justify-start"
        title="Tiers"
        description="Requests of an API key in a calendar month (UTC)."
        className="grid grid-cols-2 gap-3 sm:grid-cols-4"
      >
        {QuotaTierSchema.options.map((tier) => (
          <Field key={tier} label={TIER_NAMES[tier]} error={formState.errors.tiers?.[tier]?.message}>
            {(ids) => (
              <Input
                {...ids}
                {...register(`tiers.${tier}`, { valueAsNumber: true })}
                type="number"
                min={0}
                inputMode="numeric"
                disabled={disabled}
                className={NUMBER}
              />
            )}
          </Field>
        ))}
      </TitledCard>
    </>
  );
}
