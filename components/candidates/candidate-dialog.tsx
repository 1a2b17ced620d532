import { zodResolver } from '@hookform/resolvers/zod';
import { useController, useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { limitWords, PLACE_OPTIONS, placeName } from '@/components/candidates/place-names';
import { ExpiryChoice, ExpiryField, expiryChoice, expiryInstant } from '@/components/form/expiry-field';
import { Field } from '@/components/form/field';
import { FormDialog } from '@/components/form/form-dialog';
import { ReasonField, ReasonInput } from '@/components/form/reason-field';
import { SelectField } from '@/components/form/select-field';
import { TextField } from '@/components/form/text-field';
import { WindowInput } from '@/components/form/window-input';
import { formatWindow } from '@/components/format/duration';
import { usePolicies } from '@/components/policies/policies';
import { type CandidateLimit, setCandidate } from '@/lib/contract/candidates';
import { CandidatePlaceSchema, placeParts } from '@/lib/contract/fields/candidate';
import { LimitSchema } from '@/lib/contract/policies';

const number = z.string().trim().min(1, 'Enter a whole number.').pipe(z.coerce.number<string>('Enter a whole number.'));
const CandidateForm = z.object({
  place: CandidatePlaceSchema,
  limit: number.pipe(LimitSchema.shape.limit),
  window_seconds: number.pipe(LimitSchema.shape.window_seconds),
  expiry: ExpiryChoice,
  reason: ReasonInput,
});

/** Sets or replaces a candidate limit. */
export default function CandidateDialog({ candidate, onClose }: { candidate?: CandidateLimit; onClose: () => void }) {
  const form = useForm({
    resolver: zodResolver(CandidateForm),
    defaultValues: {
      place: candidate?.place ?? ('classes.read.ip' as const),
      limit: candidate === undefined ? '' : String(candidate.limit),
      window_seconds: String(candidate?.window_seconds ?? 60),
      expiry: candidate === undefined ? { preset: '7d' as const, custom: '' } : expiryChoice(candidate.ends_at),
      reason: candidate?.reason ?? '',
    },
  });
  const { control } = form;
  const place = useWatch({ control, name: 'place' });
  const { field, fieldState } = useController({ control, name: 'window_seconds' });
  const policies = usePolicies().data?.value;
  const parts = placeParts(place);
  const live =
    parts.group === 'classes' ? policies?.classes[parts.class][parts.subject] : policies?.clients[parts.client];
  return (
    <FormDialog
      form={form}
      title={candidate === undefined ? 'Try a limit' : `Change the candidate of ${placeName(place)}`}
      description="It counts the requests that the live limit counts, and refuses none. Its counters start empty."
      submitLabel={candidate === undefined ? 'Try' : 'Save'}
      send={({ expiry, ...body }) =>
        call(setCandidate, { body: { ...body, ends_at: expiryInstant(expiry, Date.now()) } })
      }
      changes="candidates"
      done={({ value: saved, auditSeq }) => ({
        title: `${limitWords(saved)} is the candidate of ${placeName(saved.place)} now`,
        description: `Its counters start empty. They cover a full window after ${formatWindow(saved.window_seconds)}.`,
        auditSeq,
      })}
      onClose={onClose}
    >
      <SelectField
        control={control}
        name="place"
        label="Limit"
        options={PLACE_OPTIONS}
        disabled={candidate !== undefined}
      />
      <div className="flex flex-col gap-2">
        <div className="grid grid-cols-2 gap-3">
          <TextField control={control} name="limit" label="Requests" inputMode="numeric" autoComplete="off" />
          <Field label="Window" error={fieldState.error?.message}>
            {(ids) => (
              <WindowInput
                {...ids}
                {...field}
                label="Window"
                value={field.value === '' ? Number.NaN : Number(field.value)}
                onChange={(seconds) => field.onChange(Number.isNaN(seconds) ? '' : String(seconds))}
              />
            )}
          </Field>
        </div>
        <p className="min-h-4 text-xs text-muted-foreground tabular-nums" aria-live="polite">
          {live === undefined ? null : `Live: ${limitWords(live)}.`}
        </p>
      </div>
      <ExpiryField control={control} name="expiry" />
      <ReasonField control={control} name="reason" example="Is 60 a minute enough for everyone?" />
    </FormDialog>
  );
}
