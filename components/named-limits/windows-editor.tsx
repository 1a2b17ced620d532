import { Plus, Trash2 } from 'lucide-react';
import { get, useController, useFieldArray, useFormContext, useWatch } from 'react-hook-form';
import { NumberInput } from '@/components/form/fields/number-input';
import { WindowInput } from '@/components/form/fields/window-input';
import { MOST_WINDOWS, type WindowValues } from '@/components/named-limits/limit-form-values';
import { Button } from '@/components/ui/button';
import { uncapitalize } from '@/lib/capitalize';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';

/** The part of a form that holds windows. */
interface WindowsForm {
  windows: WindowValues[];
  tiers: Record<QuotaTier, WindowValues[]>;
}
type WindowsPath = 'windows' | `tiers.${QuotaTier}`;

interface WindowsEditorProps {
  name: WindowsPath;
  /** Prefix of the accessible names. */
  label: string;
  unit: string;
}

/** Lengths that a new window takes, the first that is longer than all others. */
const LENGTHS = [1, 60, 3_600, 86_400, 'month'] as const;

/** Returns a window that is longer than those that exist. */
export function suggestWindow(rows: readonly WindowValues[]): WindowValues {
  const longest = Math.max(0, ...rows.map(({ seconds }) => (typeof seconds === 'number' ? seconds || 0 : 0)));
  const isMonth = rows.some(({ seconds }) => seconds === 'month');
  const seconds = LENGTHS.find((each) => (each === 'month' ? !isMonth : each > longest)) ?? longest * 2;
  const limits = rows.map(({ limit }) => limit).filter(Number.isInteger);
  return { limit: limits.length === 0 ? 10 : Math.max(...limits) * 10, seconds, day: 1 };
}

/** Edits 1 to 4 windows, inside a form. */
export function WindowsEditor({ name, label, unit }: WindowsEditorProps) {
  const { control, formState } = useFormContext<WindowsForm>();
  const { fields, append, remove } = useFieldArray({ control, name });
  const rows = useWatch({ control, name });
  const errors: unknown = get(formState.errors, name);
  const fault: unknown = get(errors, 'message') ?? get(errors, 'root.message');
  return (
    <div className="flex flex-col gap-2">
      {fields.map((field, index) => (
        <WindowRow
          key={field.id}
          path={`${name}.${index}`}
          label={`${label}, window ${index + 1}`}
          unit={unit}
          onRemove={() => remove(index)}
        />
      ))}
      {typeof fault === 'string' ? (
        <p role="alert" className="text-xs text-destructive-text">
          {fault}
        </p>
      ) : null}
      {fields.length < MOST_WINDOWS ? (
        <Button
          variant="outline"
          size="sm"
          className="self-start"
          aria-label={`Add window: ${label}`}
          onClick={() => append(suggestWindow(rows))}
        >
          <Plus aria-hidden /> Add window
        </Button>
      ) : null}
    </div>
  );
}

interface WindowRowProps {
  path: `${WindowsPath}.${number}`;
  label: string;
  unit: string;
  onRemove: () => void;
}

function WindowRow({ path, label, unit, onRemove }: WindowRowProps) {
  const { control } = useFormContext<WindowsForm>();
  const limit = useController({ control, name: `${path}.limit` });
  const seconds = useController({ control, name: `${path}.seconds` });
  const day = useController({ control, name: `${path}.day` });
  const isMonth = seconds.field.value === 'month';
  const faults = [limit, seconds, day].flatMap(({ field, fieldState }) =>
    fieldState.error?.message === undefined ? [] : [{ id: `${field.name}-error`, message: fieldState.error.message }],
  );
  const describe = ({ field, fieldState }: typeof limit | typeof seconds | typeof day) => ({
    'aria-invalid': fieldState.invalid || undefined,
    'aria-describedby': fieldState.invalid ? `${field.name}-error` : undefined,
  });
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-start gap-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1.5 text-sm text-muted-foreground">
          <NumberInput
            ref={limit.field.ref}
            value={limit.field.value}
            onBlur={limit.field.onBlur}
            onChange={(value) => limit.field.onChange(value)}
            aria-label={`${label}, ${unit}`}
            className="w-28 max-sm:w-24"
            {...describe(limit)}
          />
          in {isMonth ? 'each' : 'any'}
          <WindowInput
            ref={seconds.field.ref}
            value={seconds.field.value}
            onBlur={seconds.field.onBlur}
            onChange={seconds.field.onChange}
            onMonth={() => seconds.field.onChange('month')}
            label={`${label}, length`}
            {...describe(seconds)}
          />
          {isMonth ? (
            <span className="flex items-center gap-2">
              from day
              <NumberInput
                ref={day.field.ref}
                value={day.field.value}
                onBlur={day.field.onBlur}
                onChange={(value) => day.field.onChange(value)}
                aria-label={`${label}, first day of the month`}
                className="w-12"
                {...describe(day)}
              />
            </span>
          ) : null}
        </div>
        <Button variant="ghost" size="icon" aria-label={`Remove ${uncapitalize(label)}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </Button>
      </div>
      {faults.map(({ id, message }) => (
        <p key={id} id={id} className="text-xs text-destructive-text">
          {message}
        </p>
      ))}
    </div>
  );
}
