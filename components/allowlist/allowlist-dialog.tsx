'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { FormProvider, useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { addToAllowlist, allowlistKey } from '@/components/allowlist/allowlist-api';
import { ExpiryChoice, ExpiryField, expiryChoice, expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { formatDistance } from '@/components/format/duration';
import type { Target } from '@/components/identifier/target';
import { TargetFields, TargetInputs } from '@/components/identifier/target-fields';
import type { AllowlistEntry } from '@/lib/contract/allowlist';

const AllowlistForm = z.intersection(
  TargetFields,
  z.object({
    reason: z.string().trim().min(1, 'Say why, for those who come later.').max(500, 'At most 500 characters.'),
    expiry: ExpiryChoice,
  }),
);

/** Adds an entry, for `initial` when it is given, or edits `entry`. */
export function AllowlistDialog({
  initial,
  entry,
  onClose,
}: {
  initial: Target | null;
  entry?: AllowlistEntry;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const form = useForm({
    resolver: zodResolver(AllowlistForm),
    defaultValues: {
      type: entry?.type ?? initial?.type ?? 'ip',
      identifier: entry?.identifier ?? initial?.identifier ?? '',
      reason: entry?.reason ?? '',
      expiry: entry ? expiryChoice(entry.expires_at) : { preset: '1d' as const, custom: '' },
    },
  });
  const { submit, fault } = useApiForm(
    form,
    async ({ type, identifier, reason, expiry }) => {
      const expires_at = expiryInstant(expiry, Date.now());
      const name = type === 'ip' ? identifier.trim() : identifier;
      const added = await addToAllowlist({ type, identifier: name, reason, expires_at });
      await queries.invalidateQueries({ queryKey: allowlistKey });
      toast.success(`${added.identifier} ${entry ? 'is updated' : 'bypasses rate limiting'}`, {
        description: added.expires_at
          ? `Ends ${formatDistance(Date.parse(added.expires_at), Date.now())}.`
          : 'Until it is removed.',
      });
      onClose();
    },
    { expires_at: 'expiry.custom' },
  );
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={entry ? 'Edit allowlist entry' : 'Add to the allowlist'}
      description="Requests from here bypass rate limits from the next one on. Monthly quotas and the global throttle still hold."
      submitLabel={entry ? 'Save' : 'Add'}
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <FormProvider {...form}>
        <TargetInputs locked={entry !== undefined} />
      </FormProvider>
      <TextField
        control={form.control}
        name="reason"
        label="Reason"
        placeholder="Load test of the billing team, until Friday"
        multiline
      />
      <ExpiryField control={form.control} name="expiry" />
    </FormDialog>
  );
}
