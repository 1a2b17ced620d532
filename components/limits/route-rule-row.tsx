import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { AddRuleLimit, RuleLimits } from '@/components/limits/rule-limits';
import { COUNTED_OPTIONS, type RuleValues } from '@/components/route-rules/route-rule-values';
import { Button } from '@/components/ui/button';
import { useDenialWords } from '@/components/ui/denial';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import { CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import { METHODS } from '@/components/vocabulary/methods';
import { uncapitalize } from '@/lib/capitalize';

interface RouteRuleRowProps {
  index: number;
  last: number;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/**
 * Edits one rule: its condition, its effect and its position. Alt with an arrow key moves it from any of its fields.
 */
export function RouteRuleRow({ index, last, onMove, onRemove }: RouteRuleRowProps) {
  const { register, formState } = useFormContext<RuleValues>();
  const denied = useDenialWords() !== null;
  const errors = formState.errors.rules?.[index];
  const faults = (['path', 'cost'] as const).flatMap((field) => {
    const message = errors?.[field]?.message;
    return message === undefined ? [] : [{ field, message }];
  });
  const buildFaultId = (field: 'path' | 'cost') => (errors?.[field] ? `rule-${index}-${field}-error` : undefined);
  const rule = `rule ${index + 1}`;
  const moveByKey = (event: KeyboardEvent) => {
    const to = { ArrowUp: index - 1, ArrowDown: index + 1 }[event.key];
    // Selects are skipped, because the browser opens them with these keys.
    if (!event.altKey || event.target instanceof HTMLSelectElement || denied || to === undefined || to < 0 || to > last)
      return;
    event.preventDefault();
    onMove(to);
  };
  const renderButton = (label: string, icon: ReactNode, onClick: () => void, useless = false) => (
    <Button variant="ghost" size="icon" aria-label={label} disabled={useless} onClick={onClick}>
      {icon}
    </Button>
  );
  return (
    <li className="border-b px-3 py-2.5 last:border-0" onKeyDown={moveByKey}>
      <div className="flex flex-wrap items-center gap-2">
        <span aria-hidden className="w-5 text-center text-xs text-muted-foreground tabular-nums">
          {index + 1}
        </span>
        <NativeSelect
          {...register(`rules.${index}.method`)}
          aria-label={`Method of ${rule}`}
          className="h-8 w-22"
          options={[{ value: '*', label: 'Any' }, ...METHODS]}
        />
        <Input
          {...register(`rules.${index}.path`)}
          aria-label={`Path of ${rule}`}
          aria-invalid={errors?.path ? true : undefined}
          aria-describedby={buildFaultId('path')}
          spellCheck={false}
          className="min-w-40 flex-1 font-mono"
        />
        <NativeSelect
          {...register(`rules.${index}.class`)}
          aria-label={`Class of ${rule}`}
          className="h-8 w-28"
          options={CLASS_OPTIONS}
        />
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2 pl-7 max-sm:pl-0">
        <label htmlFor={`rule-${index}-cost`} className="flex items-center gap-1.5 text-xs text-muted-foreground">
          costs
          <Input
            id={`rule-${index}-cost`}
            {...register(`rules.${index}.cost`, { valueAsNumber: true })}
            type="number"
            min={1}
            aria-invalid={errors?.cost ? true : undefined}
            aria-describedby={buildFaultId('cost')}
            className="w-14 text-right tabular-nums [appearance:textfield] [&::-webkit-inner-spin-button]:appearance-none"
          />
        </label>
        <NativeSelect
          {...register(`rules.${index}.counts`)}
          aria-label={`Which requests of ${rule} count`}
          title="Failures are answered with a status from 400 on. Requests that do not count are given back once they are answered."
          className="h-8 w-28"
          options={COUNTED_OPTIONS}
        />
        <AddRuleLimit index={index} />
        <span className="ml-auto flex">
          {renderButton(`Move ${rule} up`, <ArrowUp aria-hidden />, () => onMove(index - 1), index === 0)}
          {renderButton(`Move ${rule} down`, <ArrowDown aria-hidden />, () => onMove(index + 1), index === last)}
          {renderButton(`Remove ${rule}`, <Trash2 aria-hidden />, onRemove)}
        </span>
      </div>
      <RuleLimits index={index} />
      {faults.map(({ field, message }) => (
        <p key={field} id={buildFaultId(field)} role="alert" className="mt-1 pl-7 text-xs text-destructive-text">
          {field === 'path' ? 'Path' : 'Cost'} {uncapitalize(message)}
        </p>
      ))}
    </li>
  );
}
