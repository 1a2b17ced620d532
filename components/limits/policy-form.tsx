'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { FormProvider, useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { ApiError, callApi } from '@/components/api-client';
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
import { type Policies, PoliciesSchema } from '@/lib/contract/policies';
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
  const { submit, fault, clearFault } = useApiForm(form, async (values) => {
    const patch = changesOf(policies, values);
    const { value, etag: next } = await callApi('/v1/admin/policies', {
      method: 'PATCH',
      body: patch ?? {},
      ifMatch: etag,
      schema: PoliciesSchema,
    }).catch((error: unknown) => {
      // Somebody else was first: what they saved is fetched, under what was typed here.
      if (error instanceof ApiError && error.status === 412) void queries.invalidateQueries({ queryKey: policiesKey });
      throw error;
    });
    queries.setQueryData(policiesKey, { policies: value, etag: next });
    form.reset(value);
    toast.success('The policies are saved', { description: 'They hold from the next request on, everywhere.' });
  });
  const discard = () => {
    clearFault();
    form.reset(policies, { keepDirtyValues: false });
    void queries.invalidateQueries({ queryKey: policiesKey });
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
            <CardDescription>All requests that one instance serves itself; beyond it 503.</CardDescription>
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
