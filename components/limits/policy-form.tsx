import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { FormProvider, useForm } from 'react-hook-form';
import { call } from '@/components/api/call';
import { useUndo } from '@/components/api/use-undo';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft/draft-note';
import { DraftProvider, useDraft } from '@/components/form/draft/use-draft';
import { useLeaveGuard } from '@/components/form/leave-guard';
import { ManagedNote } from '@/components/form/managed/managed-note';
import { ClassCard, ClientsCard, CommonLimits } from '@/components/limits/policy-cards';
import { policyResolver } from '@/components/limits/policy-form-values';
import { ListError } from '@/components/list/list-error';
import { EditedLimit, NamedLimits } from '@/components/named-limits/named-limits';
import { buildMergePatch, policiesKey, usePolicies } from '@/components/policies/policies';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleGate } from '@/components/shell/role-gate';
import { Skeleton } from '@/components/ui/skeleton';
import { type Policies, patchPolicies } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const UnsavedPolicies = loadOnDemand(() => import('@/components/limits/unsaved-policies'));

export default function PoliciesTab() {
  const { data, error, refetch } = usePolicies();
  if (data) {
    return (
      <div className="flex flex-col gap-4">
        <ManagedNote managed={data.managed ? { kind: 'policies' } : null} />
        <PolicyForm policies={data.value} etag={data.etag} managed={data.managed} />
        <EditedLimit />
      </div>
    );
  }
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {[0, 1, 2, 3].map((index) => (
        <Skeleton key={index} className="h-36 rounded-lg" />
      ))}
    </div>
  );
}

/** Edits all policies in place and saves them as one change. The API refuses it if another member saved first. */
function PolicyForm({ policies, etag, managed }: { policies: Policies; etag: string | null; managed: boolean }) {
  const queries = useQueryClient();
  const { offer } = useUndo();
  const saved = useMemo(() => ({ ...policies, reason: '' }), [policies]);
  const form = useForm({ resolver: policyResolver, defaultValues: saved, mode: 'onChange', shouldFocusError: false });
  const draft = useDraft(form, { name: 'policies', saved });
  useLeaveGuard(form.formState.isDirty);
  const { submit, fault, clearFault } = useApiForm(
    form,
    async ({ reason, ...values }) => {
      const body = buildMergePatch(policies, values) ?? {};
      const answer = await call(patchPolicies, { query: { reason }, body, ifMatch: etag });
      form.reset({ ...answer.value, reason: '' });
      queries.setQueryData(policiesKey, { ...answer, managed });
      offer({ title: 'Policies saved', description: 'They apply from the next request.', auditSeq: answer.auditSeq });
    },
    () => void queries.invalidateQueries({ queryKey: policiesKey }),
  );
  const discard = () => {
    clearFault();
    draft.discard();
  };
  return (
    <DraftProvider value={draft}>
      <FormProvider {...form}>
        <form onSubmit={submit} noValidate className="flex flex-col gap-4">
          <DraftNote draft={draft} />
          <FormFault error={fault} />
          <RoleGate needs="owner">
            {ENDPOINT_CLASSES.map((name) => (
              <ClassCard key={name} name={name} />
            ))}
            <ClientsCard />
          </RoleGate>
          <NamedLimits />
          <RoleGate needs="owner">
            <CommonLimits />
          </RoleGate>
          {form.formState.isDirty ? <UnsavedPolicies policies={policies} onDiscard={discard} /> : null}
        </form>
      </FormProvider>
    </DraftProvider>
  );
}
