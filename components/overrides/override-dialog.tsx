'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { FormProvider, useForm, useWatch } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { ExpiryChoice, ExpiryField, expiryChoice, expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { formatPace } from '@/components/format/duration';
import type { Target } from '@/components/identifier/target';
import { TargetFields, TargetInputs } from '@/components/identifier/target-fields';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { LimitInputs } from '@/components/limits/limit-inputs';
import { overridesKey, putOverride } from '@/components/overrides/overrides-api';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import type { Override } from '@/lib/contract/overrides';
import { LimitSchema } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const OverrideForm = z.intersection(
  TargetFields,
  z.object({
    class: EndpointClassSchema,
    limit: z.coerce.number<string>('Enter a whole number.').pipe(LimitSchema.shape.limit),
    window_seconds: z.coerce.number<string>('Enter a whole number.').pipe(LimitSchema.shape.window_seconds),
    reason: z.string().trim().min(1, 'Say why, for those who come later.').max(500, 'At most 500 characters.'),
    expiry: ExpiryChoice,
  }),
);

const CLASSES = ENDPOINT_CLASSES.map((value) => ({ value, label: CLASS_NAMES[value] }));

/** Gives one identifier an own limit in one class, or edits `override`. */
export function OverrideDialog({
  initial,
  override,
  onClose,
}: {
  initial: Target | null;
  override?: Override;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const form = useForm({
    resolver: zodResolver(OverrideForm),
    defaultValues: {
      type: override?.type ?? initial?.type ?? 'ip',
      identifier: override?.identifier ?? initial?.identifier ?? '',
      class: override?.class ?? 'read',
      limit: String(override?.limit ?? 200),
      window_seconds: String(override?.window_seconds ?? 60),
      reason: override?.reason ?? '',
      expiry: override ? expiryChoice(override.expires_at) : { preset: '7d' as const, custom: '' },
    },
  });
  const [limit, seconds] = useWatch({ control: form.control, name: ['limit', 'window_seconds'] });
  const { submit, fault } = useApiForm(
    form,
    async ({ expiry, ...values }) => {
      const identifier = values.type === 'ip' ? values.identifier.trim() : values.identifier;
      await putOverride({ ...values, identifier, expires_at: expiryInstant(expiry, Date.now()) });
      await queries.invalidateQueries({ queryKey: overridesKey });
      toast.success(`${identifier} has its own ${values.class} limit`, {
        description: 'It holds from the next request on.',
      });
      onClose();
    },
    { expires_at: 'expiry.custom' },
  );
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={override ? 'Edit own limit' : 'Give an own limit'}
      description="Replaces the policy's limit for this identifier in one class. Of several ranges the most specific one holds."
      submitLabel="Save"
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <FormProvider {...form}>
        <TargetInputs locked={override !== undefined} />
      </FormProvider>
      <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-1">
        <SelectField
          control={form.control}
          name="class"
          label="Class"
          options={CLASSES}
          disabled={override !== undefined}
        />
        <LimitInputs control={form.control} limit="limit" window="window_seconds" />
      </div>
      <p className="-mt-2 text-xs text-muted-foreground" aria-live="polite">
        In the long run {formatPace(Number(limit) || 0, Number(seconds) || 1)}.
      </p>
      <TextField control={form.control} name="reason" label="Reason" multiline />
      <ExpiryField control={form.control} name="expiry" />
    </FormDialog>
  );
}
