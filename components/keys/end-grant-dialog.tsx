import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { formatNumber } from '@/components/format/number';
import { type QuotaGrant, removeGrant } from '@/lib/contract/grants';

const EndForm = z.object({ reason: ReasonInput });

interface EndGrantDialogProps {
  grant: Pick<QuotaGrant, 'id' | 'requests' | 'api_key_name' | 'managed'>;
  onClose: () => void;
}

/** Ends a grant early. */
export default function EndGrantDialog({ grant, onClose }: EndGrantDialogProps) {
  const { id, requests, api_key_name: name } = grant;
  const form = useForm({ resolver: zodResolver(EndForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`End the grant of ${name}?`}
      description={`Its limit is ${formatNumber(requests)} lower from the next request. Usage does not change.`}
      submitLabel="End grant"
      send={({ reason }) => call(removeGrant, { query: { reason }, body: { id } })}
      changes={['api-keys', 'exceptions']}
      managed={grant.managed ? { kind: 'grants', id: grant.api_key_name } : null}
      done={({ auditSeq }) => ({ title: `The grant of ${name} has ended`, auditSeq })}
      onClose={onClose}
    >
      <PreviewNote contract={removeGrant} input={{ body: { id } }} />
      <ReasonField control={form.control} name="reason" example="The campaign ended early" />
    </FormDialog>
  );
}
