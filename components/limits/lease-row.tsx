import { useController, useFormContext } from 'react-hook-form';
import { useCall } from '@/components/api/use-call';
import { SavedConflict } from '@/components/form/draft/draft-note';
import { OptionalNumberInput } from '@/components/form/fields/optional-number-input';
import type { PolicyValues } from '@/components/limits/policy-form-values';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { readOverview } from '@/lib/contract/statistics';
import { formatNumber } from '@/lib/format-number';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Edits the maximum number of permits that an instance may hold. Empty means none. */
export function LeaseRow({ name }: { name: EndpointClass }) {
  const { control } = useFormContext<PolicyValues>();
  const { field, fieldState } = useController({ control, name: `classes.${name}.lease` });
  const { invalid, error } = fieldState;
  const store = useCall(['overview'], readOverview, {}, { staleTime: 60_000 }).data?.value.health.counter_store.kind;
  // A value of another store stays visible, so that it can be removed.
  if (store !== 'redis' && field.value === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <span className="w-34 text-sm">Lease</span>
      <OptionalNumberInput
        {...field}
        placeholder="none"
        className="w-28"
        aria-label={`${CLASS_NAMES[name]}, lease`}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? `${field.name}-error` : undefined}
      />
      <span className="min-w-0 flex-1 basis-56 text-xs text-muted-foreground">
        With counters in Redis: requests of one busy address or user that an instance may decide by itself, for up to a
        second.
      </span>
      <div className="flex basis-full flex-col gap-1 empty:hidden sm:pl-37">
        {invalid ? (
          <p id={`${field.name}-error`} className="text-xs text-destructive-text">
            {error?.message}
          </p>
        ) : null}
        <SavedConflict
          path={field.name}
          words={(saved) => (typeof saved === 'number' ? formatNumber(saved) : 'none')}
        />
      </div>
    </div>
  );
}
