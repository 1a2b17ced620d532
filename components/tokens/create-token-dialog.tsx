'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { callApi } from '@/components/api-client';
import { ExpiryChoice, ExpiryField, expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { useApiForm } from '@/components/form/use-api-form';
import { SecretPanel } from '@/components/keys/secret-panel';
import { TOKENS_PATH, tokensKey } from '@/components/tokens/tokens-api';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import { CreatedAdminTokenSchema } from '@/lib/contract/tokens';

const TokenForm = z.object({
  name: z.string().trim().min(1, 'Give it a name.').max(100, 'At most 100 characters.'),
  role: TokenRoleSchema,
  expiry: ExpiryChoice,
});

const ROLES = [
  { value: 'viewer', label: 'Viewer', hint: 'reads' },
  { value: 'operator', label: 'Operator', hint: 'allowlist, counters, quotas' },
  { value: 'owner', label: 'Owner', hint: 'everything' },
  { value: 'gateway', label: 'Gateway', hint: 'asks for decisions only' },
];

/** Makes an admin token and shows it once. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [made, setMade] = useState<{ name: string; token: string } | null>(null);
  const form = useForm({
    resolver: zodResolver(TokenForm),
    defaultValues: { name: '', role: 'operator' as const, expiry: { preset: '7d' as const, custom: '' } },
  });
  const { submit, fault } = useApiForm(
    form,
    async ({ name, role, expiry }) => {
      const body = { name, role, expires_at: expiryInstant(expiry, Date.now()) };
      const { value } = await callApi(TOKENS_PATH, { method: 'POST', body, schema: CreatedAdminTokenSchema });
      setMade({ name: value.name, token: value.token });
      await queries.invalidateQueries({ queryKey: tokensKey });
    },
    { expires_at: 'expiry.custom' },
  );
  if (made) {
    return (
      <SecretPanel
        title={`${made.name} is ready`}
        note="Hand this token to the automation that will use it."
        secret={made.token}
        usage={`Authorization: Bearer ${made.token}`}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="New admin token"
      submitLabel="Create token"
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <TextField control={form.control} name="name" label="Name" placeholder="ci-pipeline" autoComplete="off" />
      <SelectField control={form.control} name="role" label="Role" options={ROLES} />
      <ExpiryField control={form.control} name="expiry" />
    </FormDialog>
  );
}
