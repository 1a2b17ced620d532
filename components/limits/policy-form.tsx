'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { FormProvider, useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { call } from '@/components/call';
import { FormFault } from '@/components/form/form-fault';
import { useApiForm } from '@/components/form/use-api-form';
import { changesOf } from '@/components/limits/changes-of';
import { ClassCard } from '@/components/limits/class-card';
import { LimitRow } from '@/components/limits/limit-row';
import { TierLimits } from '@/components/limits/tier-limits';
import { UnsavedPolicies } from '@/components/limits/unsaved-policies';
import { policiesKey } from '@/components/limits/use-policies';
import { useMay } from '@/components/shell/member';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import { type Policies, PoliciesSchema, patchPolicies } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

/** All policies, edited in place and saved as one change; the API refuses when someone else was quicker. */
export function PolicyForm({ policies, etag }: { policies: Policies; etag: string | null }) {
  const queries = useQueryClient();
  const owner = useMay('owner');
  const form = useForm({
    resolver: zodResolver(PoliciesSchema),
    values: policies,
    resetOptions: { keepDirtyValues: true },
  });
  const refresh = () => void queries.invalidateQueries({ queryKey: policiesKey });
  const { submit, fault, clearFault } = useApiForm(
    form,
    async (values) => {
      const saved = await call(patchPolicies, { body: changesOf(policies, values) ?? {}, ifMatch: etag });
      queries.setQueryData(policiesKey, saved);
      form.reset(saved.value);
      toast.success('The policies are saved', { description: 'They apply from the next request, everywhere.' });
    },
    { onStale: refresh },
  );
  const discard = () => {
    clearFault();
    form.reset(policies, { keepDirtyValues: false });
    refresh();
  };
  return (
    <FormProvider {...form}>
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <FormFault error={fault} />
        {ENDPOINT_CLASSES.map((name) => (
          <ClassCard key={name} name={name} disabled={!owner} />
        ))}
        <Card>
          <CardHeader className="justify-start">
            <CardTitle>Clients</CardTitle>
            <CardDescription>All classes together, by API key or OAuth client.</CardDescription>
          </CardHeader>
          <CardContent>
            <LimitRow path="clients.public" group="Clients" label="Public" disabled={!owner} />
            <LimitRow path="clients.confidential" group="Clients" label="Confidential" disabled={!owner} />
          </CardContent>
        </Card>
        <Card>
          <CardHeader className="justify-start">
            <CardTitle>Global throttle</CardTitle>
            <CardDescription>All requests that one instance serves; beyond it, 503.</CardDescription>
          </CardHeader>
          <CardContent>
            <LimitRow path="global" group="Global throttle" label="Instance" disabled={!owner} />
          </CardContent>
        </Card>
        <TierLimits disabled={!owner} />
        {form.formState.isDirty ? <UnsavedPolicies policies={policies} onDiscard={discard} /> : null}
      </form>
    </FormProvider>
  );
}
