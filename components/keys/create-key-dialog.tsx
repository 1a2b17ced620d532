'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ExpiryChoice, ExpiryField, expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { SwitchField } from '@/components/form/switch-field';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { formatNumber } from '@/components/format/number';
import { createKey, keysKey } from '@/components/keys/keys-api';
import { SecretPanel } from '@/components/keys/secret-panel';
import { TIER_NAMES, TIERS } from '@/components/keys/tiers';
import { usePolicies } from '@/components/limits/use-policies';
import { ClientTypeSchema, QuotaTierSchema } from '@/lib/contract/fields/enumerations';

const KeyForm = z.object({
  name: z.string().trim().min(1, 'Give it a name.').max(100, 'At most 100 characters.'),
  tier: QuotaTierSchema,
  client_type: ClientTypeSchema,
  user_id: z.string(),
  overage_allowed: z.boolean(),
  expiry: ExpiryChoice,
});

/** Makes a key and shows its secret once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const policies = usePolicies().data?.policies;
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  const form = useForm({
    resolver: zodResolver(KeyForm),
    defaultValues: {
      name: '',
      tier: 'free' as const,
      client_type: 'confidential' as const,
      user_id: '',
      overage_allowed: false,
      expiry: { preset: 'never' as const, custom: '' },
    },
  });
  const tier = useWatch({ control: form.control, name: 'tier' });
  const { submit, fault } = useApiForm(
    form,
    async ({ expiry, user_id, overage_allowed, ...values }) => {
      const expires_at = expiryInstant(expiry, Date.now());
      const key = await createKey({
        ...values,
        ...(user_id === '' ? {} : { user_id }),
        ...(expires_at === null ? {} : { expires_at }),
        ...(values.tier === 'free' ? {} : { overage_allowed }),
      });
      setMade({ name: key.name, secret: key.secret });
      await queries.invalidateQueries({ queryKey: keysKey });
    },
    { expires_at: 'expiry.custom' },
  );
  if (made) {
    return (
      <SecretPanel
        title={`${made.name} is ready`}
        note="Hand this secret to the client that will use it."
        secret={made.secret}
        usage={`X-API-Key: ${made.secret}`}
        onClose={onClose}
      />
    );
  }
  const clientHint = (type: 'public' | 'confidential') => {
    const limit = policies?.clients[type];
    return limit ? `${formatNumber(limit.limit)} in ${limit.window_seconds} s` : undefined;
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="New API key"
      submitLabel="Create key"
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <TextField control={form.control} name="name" label="Name" placeholder="Billing service" autoComplete="off" />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <SelectField
          control={form.control}
          name="tier"
          label="Tier"
          options={TIERS.map((value) => ({
            value,
            label: TIER_NAMES[value],
            hint: policies ? `${formatNumber(policies.tiers[value])} a month` : undefined,
          }))}
        />
        <SelectField
          control={form.control}
          name="client_type"
          label="Client"
          options={[
            { value: 'confidential', label: 'Confidential', hint: clientHint('confidential') },
            { value: 'public', label: 'Public', hint: clientHint('public') },
          ]}
        />
      </div>
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
        hint={tier === 'free' ? 'Not on the free tier.' : 'Requests beyond the monthly quota are served and counted.'}
        disabled={tier === 'free'}
      />
      <ExpiryField control={form.control} name="expiry" />
    </FormDialog>
  );
}
