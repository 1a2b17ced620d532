import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { TextField } from '@/components/form/fields/text-field';
import { formatWindow } from '@/components/format/duration';
import { formatShortTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { ActionForm } from '@/components/help/actions/action-form';
import { hasOwnOverride, type SubjectActionProps } from '@/components/help/actions/subject-action';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { clampEnd, useLongestLife } from '@/components/policies/longest-life';
import { Button } from '@/components/ui/button';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { putOverride } from '@/lib/contract/overrides';
import { LimitSchema } from '@/lib/contract/policies';
import { formatNumber } from '@/lib/format-number';
import { HOUR } from '@/lib/units';

const WHOLE = 'Enter a whole number.';
const RaiseForm = z.object({
  limit: z.string().trim().min(1, WHOLE).pipe(z.coerce.number<string>(WHOLE).pipe(LimitSchema.shape.limit)),
  reason: ReasonInput,
});

const FACTORS = [2, 5] as const;

/**
 * Raises the limit of one class for an hour. An override of the same identifier keeps its end, because a new end would
 * replace it. If that end exceeds the longest allowed duration, it is shortened to the latest allowed end.
 */
export function RaiseAction({ explanation, subject, target, endpointClass, onDone }: SubjectActionProps) {
  const { limit: present, window_seconds: seconds, source } = subject;
  const form = useForm({
    resolver: zodResolver(RaiseForm),
    defaultValues: { limit: String(Math.max(1, present * 2)), reason: '' },
  });
  const { zone } = useTimeZone();
  const now = useNow() ?? Date.parse(explanation.at);
  const wanted = LimitSchema.shape.limit.safeParse(
    Number(useWatch({ control: form.control, name: 'limit' }) || 'none'),
  );
  const own = hasOwnOverride({ subject, target });
  const longest = useLongestLife();
  const ownEnd = own ? (source.expires_at ?? null) : null;
  const chooseExpiry = (at: number) => (own ? clampEnd(longest, ownEnd, at) : new Date(at + HOUR).toISOString());
  const until = chooseExpiry(now);
  const isShortened = own && until !== ownEnd;
  const end = until === null ? 'with no expiry, like its override' : `until ${formatShortTime(until, now, zone)}`;
  const change = (limit: number) => {
    const effect = describeEffect(predictEffect(explanation, { kind: 'limit', subject: subject.subject, limit }));
    return `${formatNumber(present)} → ${formatNumber(limit)} in ${formatWindow(seconds)} ${end}; ${effect}.`;
  };
  const isLower = wanted.success && wanted.data < present;
  const lessWarning = { title: 'Less than now', text: `${formatNumber(present)} applies now. This restricts them.` };
  const ownWarning = {
    title: 'This changes its own override',
    text: `${isShortened ? 'It ends as late as the policies allow now.' : 'Its end stays.'} Undo brings back the old limit.`,
  };
  return (
    <ActionForm
      form={form}
      draft={`raise ${endpointClass} of ${target.type} ${target.identifier}`}
      effect={wanted.success ? change(wanted.data) : WHOLE}
      warning={isLower ? lessWarning : own ? ownWarning : null}
      managed={
        own && source.managed ? { kind: 'overrides', id: `${target.type} ${target.identifier} ${endpointClass}` } : null
      }
      submitLabel={wanted.success ? `Set to ${formatNumber(wanted.data)}` : 'Set limit'}
      reasonExample="Month-end closing, ticket 812"
      send={({ limit, reason }) => {
        const values = { class: endpointClass, limit, window_seconds: seconds, reason };
        return call(putOverride, { body: { ...target, ...values, expires_at: chooseExpiry(Date.now()) } });
      }}
      done={({ limit }) =>
        `${CLASS_NAMES[endpointClass]} of ${shorten(target.identifier, 32)}: ${formatNumber(limit)} in ${formatWindow(seconds)} ${end}.`
      }
      onDone={onDone}
    >
      <TextField
        control={form.control}
        name="limit"
        label={`Requests in ${formatWindow(seconds)}`}
        inputMode="numeric"
        autoComplete="off"
        suffix={FACTORS.map((factor) => (
          <Button
            key={factor}
            variant="outline"
            aria-label={`${factor} times the current limit`}
            onClick={() =>
              form.setValue('limit', String(present * factor), { shouldDirty: true, shouldValidate: true })
            }
          >
            × {factor}
          </Button>
        ))}
      />
    </ActionForm>
  );
}
