'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { ApiError } from '@/components/api-client';
import { ExpiryChoice, ExpiryField, expiryChoice, expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { SwitchField } from '@/components/form/switch-field';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { keysKey, readKeyWithTag, updateKey } from '@/components/keys/keys-api';
import { ClientTypeSchema } from '@/lib/contract/fields/enumerations';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

/** An expiry that was not touched may lie in the past. */
function expiryOf(instant: string | null) {
  const kept = JSON.stringify(expiryChoice(instant));
  return z.object({ preset: ExpiryChoice.shape.preset, custom: z.string() }).superRefine((choice, context) => {
    if (JSON.stringify(choice) === kept) return;
    for (const issue of ExpiryChoice.safeParse(choice).error?.issues ?? []) {
      context.addIssue({ code: 'custom', message: issue.message, path: issue.path });
    }
  });
}

function formOf(instant: string | null) {
  return z.object({
    name: z.string().trim().min(1, 'Give it a name.').max(100, 'At most 100 characters.'),
    client_type: ClientTypeSchema,
    user_id: z.string(),
    overage_allowed: z.boolean(),
    expiry: expiryOf(instant),
  });
}

function valuesOf(key: ApiKeyWithUsage) {
  return {
    name: key.name,
    client_type: key.client_type,
    user_id: key.user_id ?? '',
    overage_allowed: key.overage_allowed,
    expiry: expiryChoice(key.expires_at),
  };
}

/**
 * Edits what a key is called and may do. When somebody else changed it meanwhile nothing is saved: their version comes
 * in under what was typed here, and the next save is made on it.
 */
export function KeyEditDialog({ row, onClose }: { row: ApiKeyWithUsage; onClose: () => void }) {
  const queries = useQueryClient();
  const newest = useQuery({
    queryKey: [...keysKey, row.id, 'edit'],
    queryFn: ({ signal }) => readKeyWithTag(row.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const key = newest.data?.key ?? row;
  const schema = useMemo(() => formOf(key.expires_at), [key.expires_at]);
  const values = useMemo(() => valuesOf(key), [key]);
  const form = useForm({ resolver: zodResolver(schema), values, resetOptions: { keepDirtyValues: true } });
  const dirty = form.formState.dirtyFields;
  const { submit, fault } = useApiForm(
    form,
    async ({ expiry, user_id, ...edited }) => {
      const changed = {
        ...(dirty.name ? { name: edited.name } : {}),
        ...(dirty.client_type ? { client_type: edited.client_type } : {}),
        ...(dirty.user_id ? { user_id: user_id === '' ? null : user_id } : {}),
        ...(dirty.overage_allowed ? { overage_allowed: edited.overage_allowed } : {}),
        ...(dirty.expiry ? { expires_at: expiryInstant(expiry, Date.now()) } : {}),
      };
      await updateKey(row.id, changed, newest.data?.etag ?? null).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 412) void newest.refetch();
        throw error;
      });
      await queries.invalidateQueries({ queryKey: keysKey });
      toast.success(`${edited.name} is saved`, { description: 'It holds from the next request on.' });
      onClose();
    },
    { expires_at: 'expiry.custom' },
  );
  const free = key.tier === 'free';
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Edit ${row.name}`}
      description="The secret, the tier and the usage stay what they are."
      submitLabel="Save"
      pending={form.formState.isSubmitting || newest.isPending}
      fault={fault ?? newest.error}
      onSubmit={submit}
    >
      <TextField
        control={form.control}
        name="name"
        label="Name"
        autoComplete="off"
        hint={dirty.name && key.name !== row.name ? `Saved meanwhile by somebody else: ${key.name}` : undefined}
      />
      <SelectField
        control={form.control}
        name="client_type"
        label="Client"
        options={[
          { value: 'confidential', label: 'Confidential' },
          { value: 'public', label: 'Public' },
        ]}
      />
      <TextField
        control={form.control}
        name="user_id"
        label="User"
        optional
        code
        hint="The user that requests with this key count for."
        autoComplete="off"
      />
      <SwitchField
        control={form.control}
        name="overage_allowed"
        label="Allow overage"
        hint={free ? 'Not on the free tier.' : 'Requests beyond the monthly quota are served and counted.'}
        disabled={free}
      />
      <ExpiryField control={form.control} name="expiry" />
    </FormDialog>
  );
}
