import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { formatLimitSpan } from '@/components/format/limit-span';
import { ActionForm, type Done } from '@/components/help/actions/action-form';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { isTarget, type LimitedIdentity } from '@/components/links/target';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { resetCounters } from '@/lib/contract/counters';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { formatNumber } from '@/lib/format-number';

const ResetForm = z.object({ reason: ReasonInput });

interface ResetActionProps {
  explanation: DecisionExplanation;
  subject: DecisionExplanation['subjects'][number];
  /** Caller whose counter is reset: that of the explained class, the only one of a client, or those of a named limit. */
  target: LimitedIdentity;
  onDone: (done: Done) => void;
}

/** Resets a rate limit counter to zero. */
export function ResetAction({ explanation, subject, target, onDone }: ResetActionProps) {
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  const { limit_name: limit } = subject;
  const only = isTarget(target) ? (explanation.class ?? undefined) : undefined;
  const part = limit ?? (only && CLASS_NAMES[only]);
  const effect = describeEffect(
    predictEffect(explanation, { kind: 'reset', subject: subject.subject, limit_name: limit }),
  );
  const used = subject.used === null ? 'Used' : formatNumber(subject.used);
  const name = subject.name ?? shorten(target.identifier, 32);
  return (
    <ActionForm
      form={form}
      draft={`reset ${limit ?? only ?? 'client'} of ${target.type} ${target.identifier}`}
      effect={`${used} → 0 of ${formatNumber(subject.limit)} ${formatLimitSpan(subject)}; ${effect}.`}
      submitLabel={part ? `Reset ${part}` : 'Reset'}
      reasonExample={part ? 'Tested their sign-in, on the phone with them' : 'Their job ran twice by mistake'}
      send={({ reason }) => call(resetCounters, { body: { ...target, class: only, limit_name: limit, reason } })}
      done={() => `The ${part ? `${part} counter` : 'rate limit'} of ${name} is reset.`}
      onDone={onDone}
    />
  );
}
