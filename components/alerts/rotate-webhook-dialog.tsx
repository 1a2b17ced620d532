import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { rotateWebhook } from '@/lib/contract/webhooks';

const RotateForm = z.object({ reason: ReasonInput });

export default function RotateWebhookDialog(props: { id: string; name: string; onClose: () => void }) {
  const { id, name, onClose } = props;
  const form = useForm({ resolver: zodResolver(RotateForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Rotate the secret of ${name}?`}
      description="For a day, messages carry a signature by the old secret too."
      submitLabel="Rotate secret"
      send={({ reason }) => call(rotateWebhook, { params: { id }, query: { reason }, body: {} })}
      changes="webhooks"
      done={({ value: { secret } }) => ({
        title: `${name} has a new secret`,
        note: 'Give it to the receiver within a day.',
        secret,
        isKept: true,
      })}
      onClose={onClose}
    >
      <ReasonField control={form.control} name="reason" example="Yearly rotation" />
    </FormDialog>
  );
}
