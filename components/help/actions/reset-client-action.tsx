import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/reason-field';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { ActionForm, type Done } from '@/components/help/actions/action-form';
import { effectWords, predictEffect } from '@/components/help/effect';
import { findIdentity } from '@/components/links/help-target';
import { shorten } from '@/components/ui/shorten';
import { resetCounters } from '@/lib/contract/counters';
import type { DecisionExplanation } from '@/lib/contract/explain';

const ResetForm = z.object({ reason: ReasonInput });

interface ResetClientActionProps {
  explanation: DecisionExplanation;
  subject: DecisionExplanation['subjects'][number];
  onDone: (done: Done) => void;
}

/** Resets the rate limit counter of a key or an OAuth client to zero. */
export function ResetClientAction({ explanation, subject, onDone }: ResetClientActionProps) {
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  const client = findIdentity('client', subject.identifier);
  const effect = effectWords(predictEffect(explanation, { kind: 'reset', subject: 'client' }));
  const used = subject.used === null ? 'Used' : formatNumber(subject.used);
  return client ? (
    <ActionForm
      form={form}
      draft={`reset client ${subject.identifier}`}
      effect={`${used} → 0 of ${formatNumber(subject.limit)} in ${formatWindow(subject.window_seconds)}; ${effect}.`}
      submitLabel="Reset"
      reasonExample="Their job ran twice by mistake"
      send={({ reason }) => call(resetCounters, { body: { ...client, reason } })}
      done={() => `The rate limit of ${subject.name ?? shorten(subject.identifier, 32)} is reset.`}
      onDone={onDone}
    />
  ) : null;
}
