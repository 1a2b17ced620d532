'use client';

import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { useApiForm } from '@/components/form/use-api-form';
import { keysKey, rotateKey } from '@/components/keys/keys-api';
import { SecretPanel } from '@/components/keys/secret-panel';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

const GRACE = [
  { value: '0', label: 'None', hint: 'the old secret stops at once' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

const RotateForm = z.object({ grace: z.enum(['0', '3600', '86400', '604800']) });

/** Gives a key a new secret and shows it once. */
export function RotateDialog({ row, onClose }: { row: ApiKeyWithUsage; onClose: () => void }) {
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm({ resolver: zodResolver(RotateForm), defaultValues: { grace: '86400' as const } });
  const { submit, fault } = useApiForm(form, async ({ grace }) => {
    const rotated = await rotateKey(row.id, Number(grace));
    setSecret(rotated.secret);
    await queries.invalidateQueries({ queryKey: keysKey });
  });
  if (secret !== null) {
    return (
      <SecretPanel
        title={`New secret of ${row.name}`}
        note="Put it in the place of the old one before the grace period ends."
        secret={secret}
        usage={`X-API-Key: ${secret}`}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Rotate the secret of ${row.name}`}
      description="The key keeps its id, tier and usage. Both secrets work until the grace period ends."
      submitLabel="Rotate"
      pending={form.formState.isSubmitting}
      fault={fault}
      onSubmit={submit}
    >
      <SelectField control={form.control} name="grace" label="Grace period" options={GRACE} />
    </FormDialog>
  );
}
