import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useFormContext } from 'react-hook-form';
import { z } from 'zod';
import { CLASS_OPTIONS } from '@/components/limits/class-names';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import { RouteRulesSchema } from '@/lib/contract/route-rules';

export const RulesForm = z.object({ rules: RouteRulesSchema });

/** The route rules as the form holds them. */
type RulesValues = z.input<typeof RulesForm>;

const METHODS = ['*', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((value) => ({
  value,
  label: value === '*' ? 'Any' : value,
}));

export function RouteRuleRow({
  index,
  last,
  disabled,
  onMove,
  onRemove,
}: {
  index: number;
  last: number;
  disabled: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}) {
  const { register, formState } = useFormContext<RulesValues>();
  const errors = formState.errors.rules?.[index];
  const [field, message] = errors?.path ? ['Path', errors.path.message] : ['Weight', errors?.cost?.message];
  const errorId = `rule-${index}-error`;
  return (
    <li className="border-b px-3 py-2.5 last:border-0">
      <div className="flex flex-wrap items-center gap-2">
        <span aria-hidden className="w-5 text-center text-xs text-muted-foreground tabular-nums">
          {index + 1}
        </span>
        <NativeSelect
          {...register(`rules.${index}.method`)}
          aria-label={`Method of rule ${index + 1}`}
          disabled={disabled}
          className="h-8 w-24"
          options={METHODS}
        />
        <Input
          {...register(`rules.${index}.path`)}
          aria-label={`Path of rule ${index + 1}`}
          aria-invalid={errors?.path ? true : undefined}
          aria-describedby={errors?.path ? errorId : undefined}
          disabled={disabled}
          spellCheck={false}
          className="min-w-40 flex-1 font-mono"
        />
        <NativeSelect
          {...register(`rules.${index}.class`)}
          aria-label={`Class of rule ${index + 1}`}
          disabled={disabled}
          className="h-8 w-28"
          options={CLASS_OPTIONS}
        />
        <label htmlFor={`rule-${index}-cost`} className="flex items-center gap-1.5 text-xs text-muted-foreground">
          costs
          <Input
            id={`rule-${index}-cost`}
            {...register(`rules.${index}.cost`, { valueAsNumber: true })}
            type="number"
            min={1}
            aria-invalid={errors?.cost ? true : undefined}
            aria-describedby={errors?.cost && !errors.path ? errorId : undefined}
            disabled={disabled}
            className="w-14 text-right tabular-nums [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none"
          />
        </label>
        <span className="ml-auto flex">
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Move rule ${index + 1} up`}
            disabled={disabled || index === 0}
            onClick={() => onMove(index - 1)}
          >
            <ArrowUp aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Move rule ${index + 1} down`}
            disabled={disabled || index === last}
            onClick={() => onMove(index + 1)}
          >
            <ArrowDown aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove rule ${index + 1}`}
            disabled={disabled}
            onClick={onRemove}
          >
            <Trash2 aria-hidden />
          </Button>
        </span>
      </div>
      {message ? (
        <p id={errorId} role="alert" className="mt-1 pl-7 text-xs text-destructive-text">
          {field} {message.charAt(0).toLowerCase() + message.slice(1)}
        </p>
      ) : null}
    </li>
  );
}
