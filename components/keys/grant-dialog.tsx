import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { Field } from '@/components/form/fields/field';
import { NumberInput } from '@/components/form/fields/number-input';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote, usePreviewEnd } from '@/components/form/preview-note';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useQuota } from '@/components/keys/key-dialog';
import { computeUntil, UntilChoice, UntilField } from '@/components/keys/until-field';
import { explainTooLong, useLongestLife } from '@/components/policies/longest-life';
import type { RowDialogProps } from '@/components/shell/action';
import { Button } from '@/components/ui/button';
import { addGrant } from '@/lib/contract/grants';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import { formatNumber } from '@/lib/format-number';

const GrantForm = z.object({
  requests: z
    .number('Enter a number of requests.')
    .int('Enter a whole number.')
    .min(1, 'At least 1.')
    .max(1_000_000_000, 'At most 1,000,000,000.'),
  until: UntilChoice,
  reason: ReasonInput,
});

/** Offered sizes of a grant, as shares of the current limit. */
const SHARES = [0.1, 0.5, 1];

interface GrantDialogProps extends RowDialogProps<ApiKeyWithUsage> {
  /** Chosen end at first. Friday by default. */
  until?: 'reset';
}

/** Temporarily gives a key more requests. The grant ends automatically. */
export default function GrantDialog({ row: apiKey, until: end, onClose }: GrantDialogProps) {
  const { id, name } = apiKey;
  const { limit } = useQuota(id).data?.value ?? apiKey;
  const { zone } = useTimeZone();
  const longest = useLongestLife();
  const resolver = zodResolver(
    GrantForm.superRefine(({ until }, context) => {
      const at = Date.now();
      const message = explainTooLong(longest, computeUntil(until, { now: at, zone, resetAt: apiKey.reset_at }), at);
      if (message !== null) context.addIssue({ code: 'custom', path: ['until', 'custom'], message });
    }),
  );
  const form = useForm({
    resolver,
    defaultValues: {
      requests: Math.max(1, Math.round(apiKey.limit * 0.1)),
      until: { preset: end ?? ('friday' as const), custom: '' },
      reason: '',
    },
  });
  const { control, setValue, formState } = form;
  const requests = useWatch({ control, name: 'requests' });
  const previewEnd = usePreviewEnd();
  const more = Number.isFinite(requests) ? requests : 0;
  return (
    <FormDialog
      form={form}
      title={`Grant ${name} more requests`}
      description="Added to the monthly limit, and removed automatically. The tier stays."
      submitLabel="Grant"
      send={({ requests, until, reason }) =>
        call(addGrant, {
          body: {
            api_key: id,
            requests,
            until: computeUntil(until, { now: Date.now(), zone, resetAt: apiKey.reset_at }),
            reason,
          },
        })
      }
      changes="api-keys"
      draft={`grant ${id}`}
      done={({ auditSeq, value }) => ({
        title: `${name} has ${formatNumber(value.requests)} more requests`,
        description: `Until ${formatAbsoluteTime(value.until, zone)}.`,
        auditSeq,
      })}
      onClose={onClose}
    >
      <Field label="Requests" error={formState.errors.requests?.message}>
        {(ids) => (
          <div className="flex flex-wrap gap-2">
            <NumberInput
              {...ids}
              value={requests}
              className="w-32"
              onChange={(value) =>
                setValue('requests', value, { shouldDirty: true, shouldValidate: formState.isSubmitted })
              }
            />
            {SHARES.map((share) => (
              <Button
                key={share}
                variant="outline"
                onClick={() => setValue('requests', Math.max(1, Math.round(limit * share)), { shouldDirty: true })}
              >
                +{share * 100}%
              </Button>
            ))}
          </div>
        )}
      </Field>
      <UntilField control={control} name="until" resetAt={apiKey.reset_at} longest={longest} />
      <p className="rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums" aria-live="polite">
        {formatNumber(limit)} + {formatNumber(more)} = <span className="font-medium">{formatNumber(limit + more)}</span>{' '}
        until then.
      </p>
      <PreviewNote
        contract={addGrant}
        input={more > 0 ? { body: { api_key: id, requests: more, until: previewEnd, reason: 'Preview' } } : null}
      />
      <ReasonField control={control} name="reason" example="Their campaign runs until Friday" />
    </FormDialog>
  );
}
