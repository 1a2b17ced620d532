import { type FieldPath, get, useController, useFormContext } from 'react-hook-form';
import { SavedConflict } from '@/components/form/draft/draft-note';
import { NumberInput } from '@/components/form/fields/number-input';
import { WindowInput } from '@/components/form/fields/window-input';
import { formatWindow } from '@/components/format/duration';
import { LimitInstrument } from '@/components/limit-use/limit-instrument';
import { useLimitUse } from '@/components/limit-use/use-limit-use';
import { describePace } from '@/components/limits/limit-words';
import type { PolicyValues } from '@/components/limits/policy-form-values';
import type { Limit } from '@/lib/contract/policies';
import { formatNumber } from '@/lib/format-number';
import type { EndpointClass } from '@/lib/limiter/meter';

interface LimitRowProps {
  path: `classes.${EndpointClass}.${'ip' | 'user'}` | `clients.${'public' | 'confidential'}` | 'global';
  /** Prefix of the accessible names. */
  group: string;
  label: string;
}

/** Binds a number of the policies to its label, hint and error. */
function useNumber(name: FieldPath<PolicyValues>) {
  const { control } = useFormContext<PolicyValues>();
  const { field, fieldState } = useController({ control, name });
  const { invalid, error } = fieldState;
  const { ref, value, onBlur } = field;
  const input = {
    ref,
    value,
    onBlur,
    onChange: (next: number) => field.onChange(next),
    'aria-invalid': invalid || undefined,
    'aria-describedby': invalid ? `${name}-error` : undefined,
  };
  return { input, value: Number(value ?? Number.NaN), dirty: fieldState.isDirty, name, error: error?.message };
}

/** Edits one limit in place: requests, window, and their effect in words. */
export function LimitRow({ path, group, label }: LimitRowProps) {
  const { formState } = useFormContext<PolicyValues>();
  const limit = useNumber(`${path}.limit`);
  const window = useNumber(`${path}.window_seconds`);
  const dirty = limit.dirty || window.dirty;
  const saved: Limit | undefined = get(formState.defaultValues, path);
  const name = `${group}, ${label.toLowerCase()}`;
  const use = useLimitUse();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <span className="flex w-34 items-center gap-1.5 text-sm">
        {label}
        {dirty ? <span title="changed" className="size-1.5 rounded-full bg-primary" /> : null}
      </span>
      <span className="flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
        <NumberInput {...limit.input} aria-label={`${name}, requests`} className="w-28" />
        in
        <WindowInput {...window.input} label={`${name}, window`} />
      </span>
      <span className="min-w-0 flex-1 basis-48 text-xs text-muted-foreground tabular-nums">
        {describePace(limit.value, window.value)}
        {dirty && saved ? ` Now ${formatNumber(saved.limit)} in ${formatWindow(saved.window_seconds)}.` : ''}
      </span>
      <div className="flex basis-full flex-col gap-1 empty:hidden sm:pl-37">
        <FieldFault name={limit.name} error={limit.error} />
        <FieldFault name={window.name} error={window.error} />
        <SavedConflict path={limit.name} words={(value) => `${formatNumber(Number(value))} requests`} />
        <SavedConflict path={window.name} words={(value) => formatWindow(Number(value))} />
      </div>
      {path === 'global' ? null : (
        <div className="basis-full sm:pl-37">
          <LimitInstrument query={use} place={path} label={name} subject={findSubject(path)} />
        </div>
      )}
    </div>
  );
}

/** Returns whose use a limit of the policies counts. */
function findSubject(path: LimitRowProps['path']): 'ip' | 'user' | 'client' {
  if (path.startsWith('clients.')) return 'client';
  return path.endsWith('.user') ? 'user' : 'ip';
}

function FieldFault({ name, error }: { name: string; error: string | undefined }) {
  if (!error) return null;
  return (
    <p id={`${name}-error`} className="text-xs text-destructive-text">
      {error}
    </p>
  );
}
