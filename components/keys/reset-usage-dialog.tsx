'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { FormDialog } from '@/components/form/form-dialog';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { formatNumber } from '@/components/format/number';
import { keysKey, resetQuota } from '@/components/keys/keys-api';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

const ResetForm = z.object({
  reason: z
    .string()
    .trim()
    .refine((text) => [...text].length <= 500, 'At most 500 characters.'),
});

/** Sets the usage of a key to zero, with a reason for the audit. */
export function ResetUsageDialog({ row, onClose }: { row: ApiKeyWithUsage; onClose: () => void }) {
  const queries = useQueryClient();
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  const { submit, fault } = useApiForm(form, async ({ reason }) => {
    await resetQuota(row.id, reason);
    await queries.invalidateQueries({ queryKey: keysKey });
    toast.success(`Usage of ${row.name} is zero`);
    onClose();
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Reset usage of ${row.name}?`}
      description={`${formatNumber(row.usage ?? 0)} requests of this month are forgiven. The history stays; the reset cannot be taken back.`}
      submitLabel="Reset usage"
      destructive
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <TextField
        control={form.control}
        name="reason"
        label="Reason"
        optional
        multiline
        placeholder="Runaway job of the customer, agreed with support"
        hint="Kept in the audit log."
      />
    </FormDialog>
  );
}
