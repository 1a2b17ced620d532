import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { call } from '@/components/call';
import { expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { formatDistance } from '@/components/format/duration';
import { type EntryDialogProps, EntryFields, EntryInputs, entryValues } from '@/components/identifier/entry-fields';
import { type AllowlistEntry, addAllowlistEntry } from '@/lib/contract/allowlist';

export default function AllowlistDialog({ initial, entry, onClose }: EntryDialogProps<AllowlistEntry>) {
  const form = useForm({ resolver: zodResolver(EntryFields), defaultValues: entryValues(initial, entry, '1d') });
  return (
    <FormDialog
      form={form}
      title={entry ? 'Edit allowlist entry' : 'Add to the allowlist'}
      description="Requests from here bypass rate limits, starting with the next one. Monthly quotas and the global throttle still apply."
      submitLabel={entry ? 'Save' : 'Add'}
      send={({ expiry, ...values }) =>
        call(addAllowlistEntry, { body: { ...values, expires_at: expiryInstant(expiry, Date.now()) } })
      }
      changes="allowlist"
      done={({ value: { identifier, expires_at: end } }) => ({
        title: `${identifier} ${entry ? 'is updated' : 'bypasses rate limiting'}`,
        description: end ? `Ends ${formatDistance(Date.parse(end), Date.now())}.` : 'Until it is removed.',
      })}
      onClose={onClose}
    >
      <EntryInputs locked={entry !== undefined} reasonExample="Load test of the billing team, until Friday" />
    </FormDialog>
  );
}
