import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { ExpiryChoice, ExpiryField, expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { SecretPanel } from '@/components/keys/secret-panel';
import { ROLE_OPTIONS } from '@/components/members/roles';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import { createToken } from '@/lib/contract/tokens';

const TokenForm = z.object({
  name: z.string().trim().min(1, 'Enter a name.').max(100, 'At most 100 characters.'),
  role: TokenRoleSchema,
  expiry: ExpiryChoice,
});

const ROLES = [...ROLE_OPTIONS, { value: 'gateway', label: 'Gateway', hint: 'requests decisions only' }];

/** Creates an admin token and shows it once. */
export function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<{ name: string; token: string } | null>(null);
  const form = useForm({
    resolver: zodResolver(TokenForm),
    defaultValues: { name: '', role: 'operator' as const, expiry: { preset: '7d' as const, custom: '' } },
  });
  if (created) {
    return (
      <SecretPanel
        title={`${created.name} is ready`}
        note="Give this token to the automation that will use it."
        secret={created.token}
        usage={`Authorization: Bearer ${created.token}`}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      form={form}
      title="New admin token"
      submitLabel="Create token"
      fieldNames={{ expires_at: 'expiry.custom' }}
      send={({ expiry, ...token }) =>
        call(createToken, { body: { ...token, expires_at: expiryInstant(expiry, Date.now()) } })
      }
      changes="tokens"
      done={({ value }) => setCreated(value)}
      onClose={onClose}
    >
      <TextField control={form.control} name="name" label="Name" placeholder="ci-pipeline" autoComplete="off" />
      <SelectField control={form.control} name="role" label="Role" options={ROLES} />
      <ExpiryField control={form.control} name="expiry" />
    </FormDialog>
  );
}
