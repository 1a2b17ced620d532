import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import type { KeyDialogProps } from '@/components/keys/key-dialog';
import { revokeApiKey } from '@/lib/contract/keys';

const RevokeForm = z.object({ reason: ReasonInput });

/** Revokes a key permanently. */
export default function RevokeDialog({ apiKey: { id, name, managed }, onClose }: KeyDialogProps) {
  const form = useForm({ resolver: zodResolver(RevokeForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Revoke ${name}?`}
      description="Requests with this key get 401 from now on. Its name can be reused; its history stays."
      submitLabel="Revoke key"
      destructive
      send={({ reason }) => call(revokeApiKey, { params: { id }, query: { reason } })}
      changes="api-keys"
      managed={managed ? { kind: 'api_keys', id: name } : null}
      done={({ auditSeq }) => ({ title: `${name} is revoked`, auditSeq })}
      onClose={onClose}
    >
      <PreviewNote contract={revokeApiKey} input={{ params: { id } }} />
      <ReasonField control={form.control} name="reason" example="The contract has ended" />
    </FormDialog>
  );
}
