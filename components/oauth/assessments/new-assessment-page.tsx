'use client';

import { toNestErrors } from '@hookform/resolvers';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { FormProvider, type Resolver, useForm } from 'react-hook-form';
import { CallError } from '@/components/api/call';
import { DraftNote } from '@/components/form/draft/draft-note';
import { useDraft } from '@/components/form/draft/use-draft';
import { formatSentence } from '@/components/form/format-sentence';
import { useLeaveGuard } from '@/components/form/leave-guard';
import { AssessmentForm } from '@/components/oauth/assessments/form/assessment-form';
import { type AssessmentValues, EMPTY_VALUES, findField } from '@/components/oauth/assessments/form/form-values';
import { buildOrder } from '@/components/oauth/assessments/form/order';
import { LAB, readStoredForm, rememberForm } from '@/components/oauth/assessments/form/remembered-form';
import { BackToAssessments, LabOrigin } from '@/components/oauth/assessments/links';
import { forgetAssessment, runAssessment, useAssessmentRun } from '@/components/oauth/assessments/run/assessment-run';
import { RunView } from '@/components/oauth/assessments/run/run-view';
import { useHasLab } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { CALLBACK_PATH } from '@/lib/contract/callback';

interface FormContext {
  redirectUri: string;
}

const resolver: Resolver<AssessmentValues, FormContext> = (values, context, options) => {
  const order = buildOrder(values, context?.redirectUri ?? '');
  if (!('errors' in order)) return { values, errors: {} };
  const flat = Object.fromEntries(order.errors.map(({ path, message }) => [path, { type: 'value', message }]));
  return { values: {}, errors: toNestErrors(flat, options) };
};

/** Configures an assessment, runs it, and opens its report. `target` selects the stored form to start with. */
export function NewAssessmentPage({ origin, target }: { origin: string; target: string | null }) {
  const redirectUri = origin + CALLBACK_PATH;
  const form = useForm({ defaultValues: EMPTY_VALUES, resolver, context: { redirectUri } });
  const run = useAssessmentRun();
  const router = useRouter();
  const queries = useQueryClient();
  const [fault, setFault] = useState<unknown>(null);
  /** True once the stored form is loaded. Drafts are applied after that. */
  const [ready, setReady] = useState(false);
  const hasLab = useHasLab();
  const { reset, setError, getValues } = form;
  useEffect(() => {
    if (target !== null && (hasLab || target !== LAB)) reset(readStoredForm(target));
    setReady(true);
  }, [target, hasLab, reset]);

  const draft = useDraft(form, {
    name: ready ? `assessment ${target ?? 'new'}` : null,
    saved: form.formState.defaultValues as AssessmentValues,
    discriminator: 'where',
  });
  useLeaveGuard(form.formState.isDirty && run === null);

  const { state, id } = run ?? {};
  useEffect(() => {
    if (state !== 'finished' || !id) return;
    void queries.invalidateQueries({ queryKey: ['assessments'] });
    router.push(`/oauth/assessments/${id}`);
    // The report takes over when this page unmounts.
    return forgetAssessment;
  }, [state, id, queries, router]);

  const refused = run !== null && run.state === 'stopped' && run.id === null;
  useEffect(() => {
    if (!refused) return;
    const error = run.fault;
    const details = error instanceof CallError ? error.details : [];
    for (const { path, message } of details) {
      const field = findField(path.replace(/^target\.server\./, ''), getValues()) as keyof AssessmentValues;
      setError(field, { type: 'server', message: formatSentence(message) });
    }
    setFault(error);
    forgetAssessment();
  }, [refused, run, setError, getValues]);

  const start = (values: AssessmentValues) => {
    const order = buildOrder(values, redirectUri);
    if ('errors' in order) return;
    setFault(null);
    rememberForm(order.remembered, values);
    draft.drop();
    window.scrollTo({ top: 0 });
    void runAssessment(order);
  };

  return (
    <LabOrigin value={origin}>
      <BackToAssessments />
      {run !== null && !refused ? (
        <RunView run={run} onClose={forgetAssessment} />
      ) : (
        <FormProvider {...form}>
          <PageHeader
            title="New assessment"
            description="One address is enough. Clients of your own test more controls."
          />
          <DraftNote draft={draft} />
          <AssessmentForm fault={fault} onStart={start} />
        </FormProvider>
      )}
    </LabOrigin>
  );
}
