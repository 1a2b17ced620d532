import { type FieldPath, get, useFormContext, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { limitEffect } from '@/components/limits/limit-words';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import type { PoliciesSchema } from '@/lib/contract/policies';

/** The policies as the form holds them. */
export type PolicyValues = z.input<typeof PoliciesSchema>;

type LimitPath =
  | `classes.${'auth' | 'sensitive' | 'read' | 'write'}.${'ip' | 'user'}`
  | `clients.${'public' | 'confidential'}`
  | 'global';

/** One limit, edited in place: requests, window, and their effect in words. */
export function LimitRow({
  path,
  group,
  label,
  disabled,
}: {
  path: LimitPath;
  /** Prefix of the accessible names. */
  group: string;
  label: string;
  disabled: boolean;
}) {
  const { control, register, getFieldState, formState } = useFormContext<PolicyValues>();
  const names = [`${path}.limit`, `${path}.window_seconds`] as [FieldPath<PolicyValues>, FieldPath<PolicyValues>];
  const [limit, seconds] = useWatch({ control, name: names });
  const states = names.map((name) => getFieldState(name, formState));
  const error = states.find((state) => state.error)?.error?.message;
  const dirty = states.some((state) => state.isDirty);
  const saved = get(formState.defaultValues, path) as { limit: number; window_seconds: number } | undefined;
  const input = (name: FieldPath<PolicyValues>, what: string, invalid: boolean) => (
    <Input
      {...register(name, { valueAsNumber: true })}
      type="number"
      min={0}
      inputMode="numeric"
      aria-label={`${group}, ${label.toLowerCase()}, ${what}`}
      aria-describedby={`${path}-effect`}
      aria-invalid={invalid || undefined}
      disabled={disabled}
      className="w-24 text-right tabular-nums [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none"
    />
  );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <span className="flex w-34 items-center gap-1.5 text-sm">
        {label}
        {dirty ? <span title="changed" className="size-1.5 rounded-full bg-primary" /> : null}
      </span>
      <span className="flex items-center gap-2 text-sm text-muted-foreground">
        {input(names[0], 'requests', Boolean(states[0]?.error))} in{' '}
        {input(names[1], 'window in seconds', Boolean(states[1]?.error))} s
      </span>
      <span
        id={`${path}-effect`}
        className={cn('min-w-0 flex-1 basis-56 text-xs', error ? 'text-destructive-text' : 'text-muted-foreground')}
      >
        {error ?? limitEffect(Number(limit), Number(seconds))}
        {dirty && saved ? ` (saved: ${formatNumber(saved.limit)} in ${formatWindow(saved.window_seconds)})` : ''}
      </span>
    </div>
  );
}
