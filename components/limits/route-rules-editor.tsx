import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { FormProvider, useFieldArray, useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { CallError } from '@/components/api-client';
import { call } from '@/components/call';
import { FormFault } from '@/components/form/form-fault';
import { useApiForm } from '@/components/form/use-api-form';
import { RouteRuleRow, RulesForm } from '@/components/limits/route-rule-row';
import { SaveBar } from '@/components/limits/save-bar';
import { SkippedRules } from '@/components/limits/skipped-rules';
import { EmptyState } from '@/components/list/empty-state';
import { useMay } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { type RouteRules, replaceRouteRules } from '@/lib/contract/route-rules';

export const routeRulesKey = ['route-rules'] as const;

const NEW_RULE = { method: '*', path: '/api/', class: 'sensitive', cost: 1 } as const;

const withCost = (rules: RouteRules) => ({ rules: rules.map((rule) => ({ ...rule, cost: rule.cost ?? 1 })) });

/** The ordered list of rules; the first that matches decides. Saved as a whole. */
export function RouteRulesEditor({
  saved,
  etag,
  onDraft,
}: {
  saved: RouteRules;
  etag: string | null;
  onDraft: (rules: RouteRules) => void;
}) {
  const queries = useQueryClient();
  const owner = useMay('owner');
  const form = useForm({ resolver: zodResolver(RulesForm), defaultValues: withCost(saved) });
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
    { onStale: () => void queries.invalidateQueries({ queryKey: routeRulesKey }) },
  );
  const discard = () => {
    clearFault();
    form.reset(withCost(saved));
  };
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex min-w-0 flex-col gap-3">
        <FormFault error={fault} />
        {fault instanceof CallError && fault.status === 412 ? <NewestRules rules={saved} /> : null}
        <SkippedRules saved={saved} />
        {fields.length === 0 ? (
          <EmptyState title="No rules: the defaults decide">
            /auth/* is auth, GET and HEAD are read, everything else is write. Add a rule to mark a route as sensitive or
            costly.
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
