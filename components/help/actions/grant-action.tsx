import { zodResolver } from '@hookform/resolvers/zod';
import { useController, useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { TextField } from '@/components/form/fields/text-field';
import { formatShortTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { ActionForm } from '@/components/help/actions/action-form';
import type { QuotaActionProps } from '@/components/help/actions/tier-action';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { explainTooLong, useLongestLife } from '@/components/policies/longest-life';
import { Segmented } from '@/components/ui/segmented';
import { addGrant } from '@/lib/contract/grants';
import { formatNumber } from '@/lib/format-number';
import { DAY } from '@/lib/units';

const WHOLE = 'Enter a whole number from 1 to 1,000,000,000.';
const Requests = z.coerce.number<string>(WHOLE).pipe(z.int(WHOLE).min(1, WHOLE).max(1_000_000_000, WHOLE));
const GrantForm = z.object({
  requests: z.string().trim().min(1, WHOLE).pipe(Requests),
  until: z.enum(['day', 'week', 'month']),
  reason: ReasonInput,
});

type Until = z.output<typeof GrantForm>['until'];
const CHOICES: { value: Until; label: string }[] = [
  { value: 'day', label: '1 day' },
  { value: 'week', label: '7 days' },
  { value: 'month', label: 'End of the month' },
];

/** Adds requests to the key's quota until a date, when the grant ends automatically. */
export function GrantAction({ explanation, quota, onDone }: QuotaActionProps) {
  const { zone } = useTimeZone();
  const now = useNow() ?? Date.parse(explanation.at);
  const longest = useLongestLife();
  const end = (choice: Until, from: number) => {
    if (choice === 'month' && quota.reset !== null) return quota.reset * 1000;
    return from + (choice === 'day' ? DAY : 7 * DAY);
  };
  const isOffered = (choice: Until) => explainTooLong(longest, new Date(end(choice, now)).toISOString(), now) === null;
  const start: z.input<typeof GrantForm> = {
    requests: String(Math.max(1, Math.ceil(quota.limit / 10))),
    until: isOffered('month') ? 'month' : isOffered('week') ? 'week' : 'day',
    reason: '',
  };
  const form = useForm({ resolver: zodResolver(GrantForm), defaultValues: start });
  const { control } = form;
  const { field } = useController({ control, name: 'until' });
  const [typed, until] = useWatch({ control, name: ['requests', 'until'] });
  const requests = Requests.safeParse(typed === '' ? 'none' : typed);
  const ends = formatShortTime(end(until, now), now, zone);
  const describeGrant = (more: number) =>
    `${formatNumber(quota.limit)} → ${formatNumber(quota.limit + more)} this month until ${ends}; ${describeEffect(predictEffect(explanation, { kind: 'quota', more }))}.`;
  return (
    <ActionForm
      form={form}
      draft={`grant ${quota.api_key_id}`}
      effect={requests.success ? describeGrant(requests.data) : WHOLE}
      submitLabel={requests.success ? `Grant ${formatNumber(requests.data)}` : 'Grant'}
      reasonExample="Runaway job on their side, agreed with support"
      send={(values) =>
        call(addGrant, {
          body: {
            api_key: quota.api_key_id,
            requests: values.requests,
            until: new Date(end(values.until, Date.now())).toISOString(),
            reason: values.reason,
          },
        })
      }
      done={(values) => `${quota.name} may send ${formatNumber(values.requests)} more requests until ${ends}.`}
      onDone={onDone}
    >
      <TextField control={control} name="requests" label="Extra requests" inputMode="numeric" autoComplete="off" />
      <Segmented
        label="Until"
        className="w-full"
        value={field.value}
        onChange={field.onChange}
        options={CHOICES.filter(({ value }) => isOffered(value))}
      />
    </ActionForm>
  );
}
