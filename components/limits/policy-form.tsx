import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { FormProvider, useForm, useFormContext, useWatch } from 'react-hook-form';
import { call } from '@/components/call';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { DraftNote } from '@/components/form/draft-note';
import { useLeaveGuard } from '@/components/form/leave-guard';
import { DraftProvider, useDraft } from '@/components/form/use-draft';
import { DryRunSummary } from '@/components/limits/dry-run-summary';
import { changesOf, policiesKey, usePolicies } from '@/components/limits/policies';
import { ClassCard, CommonLimits, type PolicyValues } from '@/components/limits/policy-cards';
import { SaveBar } from '@/components/limits/save-bar';
import { ListError } from '@/components/list/list-error';
import { useMay } from '@/components/shell/member';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast';
import { type Policies, PoliciesSchema, patchPolicies } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

export default function PoliciesTab() {
  const { data, error, refetch } = usePolicies();
  if (data) return <PolicyForm policies={data.value} etag={data.etag} />;
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex flex-col gap-4">
      {[0, 1, 2, 3].map((index) => (
        <Skeleton key={index} className="h-36 rounded-lg" />
      ))}
    </div>
  );
}

/** All policies, edited in place and saved as one change; refused when someone else saved first. */
function PolicyForm({ policies, etag }: { policies: Policies; etag: string | null }) {
  const queries = useQueryClient();
  const owner = useMay('owner');
  const form = useForm({
    resolver: zodResolver(PoliciesSchema),
    defaultValues: policies,
  });
  const draft = useDraft(form, { name: 'policies', saved: policies });
  useLeaveGuard(form.formState.isDirty);
  const refresh = () => void queries.invalidateQueries({ queryKey: policiesKey });
  const { submit, fault, clearFault } = useApiForm(
    form,
    async (values) => {
      const saved = await call(patchPolicies, { body: changesOf(policies, values) ?? {}, ifMatch: etag });
      queries.setQueryData(policiesKey, saved);
      form.reset(saved.value);
      toast.success('The policies are saved', { description: 'They apply from the next request, everywhere.' });
    },
    refresh,
  );
  const discard = () => {
    clearFault();
    draft.discard();
    refresh();
  };
  return (
    <DraftProvider value={draft}>
      <FormProvider {...form}>
        <form onSubmit={submit} noValidate className="flex flex-col gap-4">
          <DraftNote draft={draft} />
          <FormFault error={fault} />
          {ENDPOINT_CLASSES.map((name) => (
            <ClassCard key={name} name={name} disabled={!owner} />
          ))}
          <CommonLimits disabled={!owner} />
          {form.formState.isDirty ? <UnsavedPolicies policies={policies} onDiscard={discard} /> : null}
        </form>
      </FormProvider>
    </DraftProvider>
  );
}

/** Save or discard the changes, with what they would have refused in the last hour. */
function UnsavedPolicies({ policies, onDiscard }: { policies: Policies; onDiscard: () => void }) {
  const { control, formState } = useFormContext<PolicyValues>();
  const values = PoliciesSchema.safeParse(useWatch({ control }));
  const patch = values.success ? (changesOf(policies, values.data) ?? {}) : null;
  return (
    <SaveBar pending={formState.isSubmitting} onDiscard={onDiscard}>
      <DryRunSummary patch={patch} />
    </SaveBar>
  );
}
