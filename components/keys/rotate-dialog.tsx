import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { FormDialog } from '@/components/form/form-dialog';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import type { RowDialogProps } from '@/components/shell/action';
import { type ApiKeyWithUsage, rotateApiKey } from '@/lib/contract/keys';

const GRACE = [
  { value: '0', label: 'None', hint: 'for a leaked secret' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];

const RotateForm = z.object({ grace: z.enum(['0', '3600', '86400', '604800']), reason: ReasonInput });

/** Gives a key a new secret and shows it once. */
export default function RotateDialog({ row, onClose }: RowDialogProps<ApiKeyWithUsage>) {
  const { id, name, prefix } = row;
  const form = useForm({
    resolver: zodResolver(RotateForm),
    defaultValues: { grace: '86400' as const, reason: '' },
  });
  const grace = useWatch({ control: form.control, name: 'grace' });
  const now = useNow();
  const { zone } = useTimeZone();
  const until = now === null ? '' : ` until ${formatAbsoluteTime(now + Number(grace) * 1000, zone)}`;
  return (
    <FormDialog
      form={form}
      title={`Rotate the secret of ${name}`}
      description="The key keeps its id, tier and usage. Its new secret is shown once."
      submitLabel="Rotate"
      send={({ grace, reason }) =>
        call(rotateApiKey, { params: { id }, query: { reason }, body: { grace_seconds: Number(grace) } })
      }
      changes="api-keys"
      done={({ value: { secret } }, values) => ({
        title: `New secret of ${name}`,
        note:
          values.grace === '0'
            ? 'The old secret has stopped working.'
            : 'Replace the old one with it before the grace period ends.',
        secret,
        usage: `X-API-Key: ${secret}`,
      })}
      onClose={onClose}
    >
      <SelectField
        control={form.control}
        name="grace"
        label="Grace period"
        options={GRACE}
        hint={
          grace === '0'
            ? `The old secret (${prefix}…) stops working at once.`
            : `The old secret (${prefix}…) keeps working${until}.`
        }
      />
      <ReasonField control={form.control} name="reason" example="The secret was committed to a public repository" />
    </FormDialog>
  );
}
