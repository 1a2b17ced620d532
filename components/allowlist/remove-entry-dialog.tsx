import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { shorten } from '@/components/ui/shorten';
import { type AllowlistEntry, removeAllowlistEntry } from '@/lib/contract/allowlist';

const RemoveForm = z.object({ reason: ReasonInput });

interface RemoveEntryDialogProps {
  entry: Pick<AllowlistEntry, 'type' | 'identifier' | 'managed'>;
  onClose: () => void;
}

/** Removes an allowlist entry. The toast offers to undo it. */
export default function RemoveEntryDialog({ entry, onClose }: RemoveEntryDialogProps) {
  const { type, identifier } = entry;
  const form = useForm({ resolver: zodResolver(RemoveForm), defaultValues: { reason: '' } });
  return (
    <FormDialog
      form={form}
      title={`Remove ${shorten(identifier)} from the allowlist?`}
      description="Its limits apply again from the next request, unless a wider range covers it."
      submitLabel="Remove"
      destructive
      send={({ reason }) => call(removeAllowlistEntry, { body: { type, identifier }, query: { reason } })}
      changes={['allowlist', 'exceptions']}
      managed={entry.managed ? { kind: 'allowlist', id: `${type} ${identifier}` } : null}
      done={({ auditSeq }) => ({
        title: `${shorten(identifier)} was removed`,
        description: 'Its limits apply again from the next request.',
        auditSeq,
      })}
      onClose={onClose}
    >
      <PreviewNote contract={removeAllowlistEntry} input={{ body: { type, identifier } }} />
      <ReasonField control={form.control} name="reason" example="The migration is over" />
    </FormDialog>
  );
}
