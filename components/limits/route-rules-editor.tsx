import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useMemo } from 'react';
import { FormProvider, useFieldArray, useForm, useFormContext } from 'react-hook-form';
import { z } from 'zod';
import { CallError, call } from '@/components/call';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft-note';
import { useLeaveGuard } from '@/components/form/leave-guard';
import { useDraft } from '@/components/form/use-draft';
import { CLASS_OPTIONS } from '@/components/limits/class-names';
import { SaveBar } from '@/components/limits/save-bar';
import { EmptyState } from '@/components/list/empty-state';
import { useMay } from '@/components/shell/member';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import { toast } from '@/components/ui/toast';
import { type RouteRules, RouteRulesSchema, replaceRouteRules } from '@/lib/contract/route-rules';
import { compileRouteRules } from '@/lib/enforcement/route-rules';

export const routeRulesKey = ['route-rules'] as const;

const RulesForm = z.object({ rules: RouteRulesSchema });

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((value) => ({
  value,
  label: value,
}));

const NEW_RULE = { method: '*', path: '/api/', class: 'sensitive', cost: 1 } as const;

const withCost = (rules: RouteRules) => ({ rules: rules.map((rule) => ({ ...rule, cost: rule.cost ?? 1 })) });

/** The ordered list of rules; the first that matches decides. Saved as a whole. */
export function RouteRulesEditor(props: {
  saved: RouteRules;
  etag: string | null;
  onDraft: (rules: RouteRules) => void;
}) {
  const { saved, etag, onDraft } = props;
  const queries = useQueryClient();
  const owner = useMay('owner');
  const form = useForm({ resolver: zodResolver(RulesForm), defaultValues: withCost(saved) });
  const draft = useDraft(form, { name: 'route-rules', saved: withCost(saved) });
  useLeaveGuard(form.formState.isDirty);
  const { fields, append, remove, move } = useFieldArray({ control: form.control, name: 'rules' });
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => onDraft(values.rules) }),
    [form, onDraft],
  );
  const { submit, fault, clearFault } = useApiForm(
    form,
    async ({ rules }) => {
      const body = rules.map(({ cost, ...rule }) => (cost === undefined || cost === 1 ? rule : { ...rule, cost }));
      const answer = await call(replaceRouteRules, { body, ifMatch: etag });
      queries.setQueryData(routeRulesKey, answer);
      form.reset(withCost(answer.value));
      toast.success('The route rules are saved', { description: 'They apply from the next request.' });
    },
    () => void queries.invalidateQueries({ queryKey: routeRulesKey }),
  );
  const discard = () => {
    clearFault();
    draft.discard();
  };
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex min-w-0 flex-col gap-3">
        <DraftNote draft={draft} />
        <FormFault error={fault} />
        {draft.conflicts.length > 0 || (fault instanceof CallError && fault.status === 412) ? (
          <NewestRules rules={saved} />
        ) : null}
        <SkippedRules saved={saved} />
        {fields.length === 0 ? (
          <EmptyState title="No rules: the defaults apply">
            /auth/* is auth, GET and HEAD are read, everything else is write; the lab of signed-in members is lab. Add a
            rule to mark a route as sensitive or costly.
          </EmptyState>
        ) : (
          <ol className="overflow-hidden rounded-lg border bg-card">
            {fields.map((field, index) => (
              <RouteRuleRow
                key={field.id}
                index={index}
                last={fields.length - 1}
                disabled={!owner}
                onMove={(to) => move(index, to)}
                onRemove={() => remove(index)}
              />
            ))}
          </ol>
        )}
        <Button variant="outline" className="self-start" disabled={!owner} onClick={() => append({ ...NEW_RULE })}>
          <Plus aria-hidden /> Add rule
        </Button>
        {form.formState.isDirty ? <SaveBar pending={form.formState.isSubmitting} onDiscard={discard} /> : null}
      </form>
    </FormProvider>
  );
}

/** The version that someone else saved meanwhile, to compare with. */
function NewestRules({ rules }: { rules: RouteRules }) {
  return (
    <section aria-label="The newest version" className="rounded-md bg-muted px-3 py-2.5 text-sm">
      <p className="font-medium">The newest version</p>
      {rules.length === 0 ? <p>No rules.</p> : null}
      <ol className="list-decimal pl-5">
        {rules.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name but its place.
          <li key={index}>
            <code className="font-mono text-xs">
              {rule.method} {rule.path}
            </code>{' '}
            is {rule.class}
            {(rule.cost ?? 1) === 1 ? '' : `, cost ${rule.cost}`}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Names the saved rules that are skipped because they do not compile. */
function SkippedRules({ saved }: { saved: RouteRules }) {
  const skipped = useMemo(() => compileRouteRules(saved).skipped, [saved]);
  if (skipped.length === 0) return null;
  return (
    <Alert
      variant="warning"
      title={skipped.length === 1 ? 'One saved rule is skipped' : `${skipped.length} saved rules are skipped`}
    >
      The other rules and the defaults still apply. Change or remove {skipped.length === 1 ? 'the rule' : 'these rules'}
      , then save.
      <ul className="mt-1 list-disc pl-4">
        {skipped.map(({ position, reason }) => (
          <li key={position}>
            Rule {position}: {reason}.
          </li>
        ))}
      </ul>
    </Alert>
  );
}

interface RouteRuleRowProps {
  index: number;
  last: number;
  disabled: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function RouteRuleRow({ index, last, disabled, onMove, onRemove }: RouteRuleRowProps) {
  const { register, formState } = useFormContext<z.input<typeof RulesForm>>();
  const errors = formState.errors.rules?.[index];
  const [field, message] = errors?.path ? ['Path', errors.path.message] : ['Cost', errors?.cost?.message];
  const errorId = `rule-${index}-error`;
  const rule = `rule ${index + 1}`;
  const button = (label: string, icon: ReactNode, onClick: () => void, useless = false) => (
    <Button variant="ghost" size="icon" aria-label={label} disabled={disabled || useless} onClick={onClick}>
      {icon}
    </Button>
  );
  return (
    <li className="border-b px-3 py-2.5 last:border-0">
      <div className="flex flex-wrap items-center gap-2">
        <span aria-hidden className="w-5 text-center text-xs text-muted-foreground tabular-nums">
          {index + 1}
        </span>
        <NativeSelect
          {...register(`rules.${index}.method`)}
          aria-label={`Method of ${rule}`}
          disabled={disabled}
          className="h-8 w-24"
          options={[{ value: '*', label: 'Any' }, ...METHODS]}
        />
        <Input
          {...register(`rules.${index}.path`)}
          aria-label={`Path of ${rule}`}
          aria-invalid={errors?.path ? true : undefined}
          aria-describedby={errors?.path ? errorId : undefined}
          disabled={disabled}
          spellCheck={false}
          className="min-w-40 flex-1 font-mono"
        />
        <NativeSelect
          {...register(`rules.${index}.class`)}
          aria-label={`Class of ${rule}`}
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
          {button(`Move ${rule} up`, <ArrowUp aria-hidden />, () => onMove(index - 1), index === 0)}
          {button(`Move ${rule} down`, <ArrowDown aria-hidden />, () => onMove(index + 1), index === last)}
          {button(`Remove ${rule}`, <Trash2 aria-hidden />, onRemove)}
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
