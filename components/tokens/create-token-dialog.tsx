import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { computeExpiry, ExpiryChoice, ExpiryField, LONG } from '@/components/form/fields/expiry-field';
import { SelectField } from '@/components/form/fields/select-field';
import { NameInput, TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import { ROLE_OPTIONS } from '@/components/vocabulary/roles';
import { TokenRoleSchema } from '@/lib/contract/fields/enumerations';
import { createToken } from '@/lib/contract/tokens';

const TokenForm = z.object({ name: NameInput, role: TokenRoleSchema, expiry: ExpiryChoice });

const ROLES = [...ROLE_OPTIONS, { value: 'gateway', label: 'Gateway', hint: 'requests decisions only' }];

export default function CreateTokenDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({
    resolver: zodResolver(TokenForm),
    defaultValues: { name: '', role: 'operator' as const, expiry: { preset: '90d' as const, custom: '' } },
  });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title="New admin token"
      submitLabel="Create token"
      send={({ expiry, ...token }) =>
        call(createToken, { body: { ...token, expires_at: computeExpiry(expiry, Date.now()) } })
      }
      changes="tokens"
      done={({ value: { name, token } }) => ({
        title: `${name} is ready`,
        note: 'Give this token to the automation that will use it.',
        secret: token,
        usage: `Authorization: Bearer ${token}`,
      })}
      onClose={onClose}
    >
      <TextField control={control} name="name" label="Name" placeholder="ci-pipeline" autoComplete="off" />
      <SelectField control={control} name="role" label="Role" options={ROLES} />
      <ExpiryField control={control} name="expiry" presets={LONG} />
    </FormDialog>
  );
}
