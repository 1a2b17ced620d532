import { Plus, Trash2 } from 'lucide-react';
import { useFormContext, useWatch } from 'react-hook-form';
import { NumberInput } from '@/components/form/fields/number-input';
import { useNamedLimits } from '@/components/named-limits/limits';
import type { RuleValues } from '@/components/route-rules/route-rule-values';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import { MOST_LIMITS } from '@/lib/contract/fields/named-limit';
import type { RuleLimit } from '@/lib/contract/route-rules';

const HEADER = 'header:';

const SUBJECTS = [
  { value: 'ip', label: 'address' },
  { value: 'user', label: 'user' },
  { value: 'client', label: 'key or client' },
  { value: HEADER, label: 'header' },
];

function useRuleLimits(index: number) {
  const { setValue } = useFormContext<RuleValues>();
  const limits: RuleLimit[] = useWatch<RuleValues, `rules.${number}.limits`>({ name: `rules.${index}.limits` }) ?? [];
  const names = useNamedLimits().data?.value.map(({ name }) => name) ?? [];
  /** A rule without named limits has no list of them. */
  const set = (next: RuleLimit[]) =>
    setValue(`rules.${index}.limits`, next.length === 0 ? undefined : next, {
      shouldDirty: true,
      shouldValidate: true,
    });
  return { limits, names, set };
}

/** Adds a named limit to a route rule. Without named limits it renders nothing. */
export function AddRuleLimit({ index }: { index: number }) {
  const { limits, names, set } = useRuleLimits(index);
  const unused = names.find((name) => !limits.some((limit) => limit.name === name)) ?? names[0];
  return limits.length < MOST_LIMITS && unused !== undefined ? (
    <Button
      variant="ghost"
      size="sm"
      aria-label={`Add a named limit to rule ${index + 1}`}
      onClick={() => set([...limits, { name: unused, subject: 'ip' }])}
    >
      <Plus aria-hidden /> Named limit
    </Button>
  ) : null;
}

/** Edits the named limits of a route rule: names, subjects and costs. */
export function RuleLimits({ index }: { index: number }) {
  const { formState } = useFormContext<RuleValues>();
  const { limits, names, set } = useRuleLimits(index);
  const errors = formState.errors.rules?.[index]?.limits;
  return (
    <div className="mt-2 flex flex-col gap-1.5 pl-7 text-xs text-muted-foreground empty:hidden max-sm:pl-0">
      {limits.map((limit, place) => (
        <RuleLimitRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a limit of a rule is its place
          key={place}
          label={`limit ${place + 1} of rule ${index + 1}`}
          limit={limit}
          names={names}
          fault={errors?.[place]?.name?.message ?? errors?.[place]?.subject?.message ?? errors?.[place]?.message}
          onChange={(next) => set(limits.map((each, other) => (other === place ? next : each)))}
          onRemove={() => set(limits.filter((_, other) => other !== place))}
        />
      ))}
    </div>
  );
}

interface RuleLimitRowProps {
  /** Ends the accessible names. */
  label: string;
  limit: RuleLimit;
  names: readonly string[];
  fault: string | undefined;
  onChange: (limit: RuleLimit) => void;
  onRemove: () => void;
}

function RuleLimitRow({ label, limit, names, fault, onChange, onRemove }: RuleLimitRowProps) {
  const { name, subject, cost = 1 } = limit;
  const header = subject.startsWith(HEADER) ? subject.slice(HEADER.length) : null;
  // A limit that was removed is still named here.
  const options = [...new Set([...names, name])].map((value) => ({ value, label: value }));
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-1.5">
        also under
        <NativeSelect
          aria-label={`Name of ${label}`}
          className="h-8 w-36"
          value={name}
          options={options}
          onChange={({ target }) => onChange({ ...limit, name: target.value })}
        />
        by
        <NativeSelect
          aria-label={`Subject of ${label}`}
          className="h-8 w-34"
          value={header === null ? subject : HEADER}
          options={SUBJECTS}
          onChange={({ target }) => onChange({ ...limit, subject: target.value as RuleLimit['subject'] })}
        />
        {header === null ? null : (
          <Input
            aria-label={`Header of ${label}`}
            aria-invalid={fault ? true : undefined}
            placeholder="x-phone"
            value={header}
            spellCheck={false}
            autoCapitalize="off"
            className="w-36 font-mono"
            onChange={({ target }) => onChange({ ...limit, subject: `${HEADER}${target.value.toLowerCase()}` })}
          />
        )}
        costs
        <NumberInput
          aria-label={`Cost of ${label}`}
          className="w-16"
          value={cost}
          onChange={(value) => onChange({ ...limit, cost: value })}
        />
        <Button variant="ghost" size="icon-sm" aria-label={`Remove ${label}`} onClick={onRemove}>
          <Trash2 aria-hidden />
        </Button>
      </div>
      {fault === undefined ? null : (
        <p role="alert" className="text-destructive-text">
          {header === null ? fault : `A header ${fault.replace(/^must be .*/, 'has a name, such as x-phone.')}`}
        </p>
      )}
    </div>
  );
}
