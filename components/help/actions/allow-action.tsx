import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { formatShortTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { ActionForm } from '@/components/help/actions/action-form';
import type { SubjectActionProps } from '@/components/help/actions/subject-action';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { shorten } from '@/components/ui/shorten';
import { addAllowlistEntry } from '@/lib/contract/allowlist';
import { HOUR } from '@/lib/units';

const AllowForm = z.object({ reason: ReasonInput });

const SKIPS = {
  ip: 'Every request from this address, in every class, even past the limits of its client and user.',
  user_id: 'Every request of this user, in every class, even past the limits of the address and client.',
} as const;

/** Lets the subject bypass every rate limit for an hour. */
export function AllowAction({ explanation, target, onDone }: SubjectActionProps) {
  const form = useForm({ resolver: zodResolver(AllowForm), defaultValues: { reason: '' } });
  const { zone } = useTimeZone();
  const now = useNow() ?? Date.parse(explanation.at);
  const end = formatShortTime(now + HOUR, now, zone);
  return (
    <ActionForm
      form={form}
      draft={`allow ${target.type} ${target.identifier}`}
      effect={`No rate limit until ${end}; ${describeEffect(predictEffect(explanation, { kind: 'bypass' }))}.`}
      warning={{
        title: 'This bypasses every rate limit',
        text: `${SKIPS[target.type]} Monthly quotas and the global throttle still apply.`,
      }}
      submitLabel="Allow for an hour"
      reasonExample="Migration of a customer, until noon"
      send={({ reason }) => {
        const expires_at = new Date(Date.now() + HOUR).toISOString();
        return call(addAllowlistEntry, { body: { ...target, reason, expires_at } });
      }}
      done={() => `${shorten(target.identifier, 32)} bypasses rate limits until ${end}.`}
      onDone={onDone}
    />
  );
}
