import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { FormProvider, useFieldArray, useForm } from 'react-hook-form';
import { call } from '@/components/api/call';
import { useUndo } from '@/components/api/use-undo';
import { useCandidateRules } from '@/components/candidates/use-candidates';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft/draft-note';
import { useDraft } from '@/components/form/draft/use-draft';
import { useLeaveGuard } from '@/components/form/leave-guard';
import { ManagedNote } from '@/components/form/managed/managed-note';
import { RouteRuleRow } from '@/components/limits/route-rule-row';
import { SkippedRules } from '@/components/limits/skipped-rules';
import { EmptyState } from '@/components/list/empty-state';
import { omitDefaults } from '@/components/route-rules/omit-defaults';
import { buildRuleValues, routeRuleResolver } from '@/components/route-rules/route-rule-values';
import { routeRulesKey } from '@/components/route-rules/route-rules';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { RoleGate } from '@/components/shell/role-gate';
import { type RouteRules, replaceRouteRules } from '@/lib/contract/route-rules';

const NewestRules = loadOnDemand(() => import('@/components/limits/newest-rules'));
const CandidateRulesNote = loadOnDemand(() => import('@/components/candidates/candidate-rules-note'));
/** Loaded at the first change. */
const UnsavedRules = loadOnDemand(() => import('@/components/limits/unsaved-rules'));

const NEW_RULE = { method: '*', path: '/api/', class: 'sensitive', cost: 1, counts: 'all' } as const;

/** Edits the ordered list of rules. The first matching rule decides. The list is saved as a whole. */
export function RouteRulesEditor(props: {
  saved: RouteRules;
  etag: string | null;
  managed: boolean;
  onDraft: (rules: RouteRules) => void;
}) {
  const { etag, managed, onDraft } = props;
  const queries = useQueryClient();
  const { offer } = useUndo();
  const candidate = useCandidateRules();
  const saved = useMemo(() => buildRuleValues(props.saved), [props.saved]);
  const form = useForm({
    resolver: routeRuleResolver,
    defaultValues: saved,
    mode: 'onChange',
    shouldFocusError: false,
  });
  const draft = useDraft(form, { name: 'route-rules', saved });
  useLeaveGuard(form.formState.isDirty);
  const { fields, append, remove, move } = useFieldArray({ control: form.control, name: 'rules' });
  const { list, said: announcement, movedTo } = useMovedFocus();
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => onDraft(values.rules) }),
    [form, onDraft],
  );
  const { submit, fault, clearFault } = useApiForm(
    form,
    async ({ rules, reason }) => {
      const answer = await call(replaceRouteRules, { query: { reason }, body: omitDefaults(rules), ifMatch: etag });
      form.reset(buildRuleValues(answer.value));
      queries.setQueryData(routeRulesKey, { ...answer, managed });
      offer({
        title: 'Route rules saved',
        description: 'They apply from the next request.',
        auditSeq: answer.auditSeq,
      });
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
        <ManagedNote managed={managed ? { kind: 'route_rules' } : null} />
        <DraftNote draft={draft} />
        <FormFault error={fault} />
        {draft.conflicts.some(({ path }) => path === 'rules') ? (
          <NewestRules rules={props.saved} onTake={() => draft.takeSaved('rules')} />
        ) : null}
        <SkippedRules saved={props.saved} />
        {fields.length === 0 ? (
          <EmptyState title="No rules: the defaults apply">
            /auth/* is auth, safe methods (GET, HEAD, OPTIONS and the like) are read, everything else is write; the lab
            of signed-in members is lab. Add a rule to mark a route as sensitive or costly.
          </EmptyState>
        ) : (
          <RoleGate needs="owner">
            <ol ref={list} className="overflow-hidden rounded-lg border bg-card">
              {fields.map((field, index) => (
                <RouteRuleRow
                  key={field.id}
                  index={index}
                  last={fields.length - 1}
                  onMove={(to) => {
                    move(index, to);
                    movedTo(to);
                  }}
                  onRemove={() => remove(index)}
                />
              ))}
            </ol>
          </RoleGate>
        )}
        <p role="status" className="sr-only">
          {announcement}
        </p>
        <RoleButton needs="owner" variant="outline" className="self-start" onClick={() => append({ ...NEW_RULE })}>
          <Plus aria-hidden /> Add rule
        </RoleButton>
        {candidate === null ? null : (
          <CandidateRulesNote
            onEdit={
              form.formState.isDirty
                ? null
                : () => form.setValue('rules', buildRuleValues(candidate.rules).rules, { shouldDirty: true })
            }
          />
        )}
        {form.formState.isDirty ? <UnsavedRules saved={props.saved} candidate={candidate} onDiscard={discard} /> : null}
      </form>
    </FormProvider>
  );
}

/** Keeps the focus on a moved rule and announces its new position. */
function useMovedFocus() {
  const list = useRef<HTMLOListElement>(null);
  const [to, setTo] = useState<{ place: number } | null>(null);
  useEffect(() => {
    if (to === null) return;
    list.current?.querySelectorAll('li')[to.place]?.querySelector('input')?.focus();
  }, [to]);
  const announcement = to === null ? '' : `Now rule ${to.place + 1}.`;
  return { list, said: announcement, movedTo: (place: number) => setTo({ place }) };
}
