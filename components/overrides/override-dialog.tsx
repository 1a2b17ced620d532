import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { expiryInstant } from '@/components/form/expiry-field';
import { FormDialog } from '@/components/form/form-dialog';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { formatPace } from '@/components/format/duration';
import { type EntryDialogProps, EntryFields, EntryInputs, entryValues } from '@/components/identifier/entry-fields';
import { CLASS_OPTIONS } from '@/components/limits/class-names';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { type Override, putOverride } from '@/lib/contract/overrides';
import { LimitSchema } from '@/lib/contract/policies';

const number = z.coerce.number<string>('Enter a whole number.');
const OverrideForm = z.intersection(
  EntryFields,
  z.object({
    class: EndpointClassSchema,
    limit: number.pipe(LimitSchema.shape.limit),
    window_seconds: number.pipe(LimitSchema.shape.window_seconds),
  }),
);

export default function OverrideDialog({ initial, entry, onClose }: EntryDialogProps<Override>) {
  const form = useForm({
    resolver: zodResolver(OverrideForm),
    defaultValues: {
      ...entryValues(initial, entry, '7d'),
      class: entry?.class ?? 'read',
      limit: String(entry?.limit ?? 200),
      window_seconds: String(entry?.window_seconds ?? 60),
    },
  });
  const { control } = form;
  const [limit, seconds] = useWatch({ control, name: ['limit', 'window_seconds'] });
  const numeric = { control, inputMode: 'numeric', autoComplete: 'off' } as const;
  const locked = entry !== undefined;
  return (
    <FormDialog
      form={form}
      title={entry ? 'Edit override' : 'Override a limit'}
      description="Replaces the policy's limit for this identifier in one class. Where ranges overlap, the most specific one applies."
      submitLabel="Save"
      send={({ expiry, ...values }) =>
        call(putOverride, { body: { ...values, expires_at: expiryInstant(expiry, Date.now()) } })
      }
      changes="overrides"
      done={(_, values) => ({
        title: `The ${values.class} limit of ${values.identifier} is overridden`,
        description: 'It applies from the next request.',
      })}
      onClose={onClose}
    >
      <EntryInputs locked={locked} reasonExample="Contract with a partner">
        <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-1">
          <SelectField control={control} name="class" label="Class" options={CLASS_OPTIONS} disabled={locked} />
          <TextField {...numeric} name="limit" label="Requests" />
          <TextField {...numeric} name="window_seconds" label="Window in seconds" />
        </div>
        <p className="-mt-2 text-xs text-muted-foreground first-letter:uppercase" aria-live="polite">
          {formatPace(Number(limit) || 0, Number(seconds) || 1)}.
        </p>
      </EntryInputs>
    </FormDialog>
  );
}
