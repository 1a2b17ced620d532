import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/reason-field';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { ActionForm } from '@/components/help/actions/action-form';
import type { SubjectActionProps } from '@/components/help/actions/subject-action';
import { effectWords, predictEffect } from '@/components/help/effect';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { resetCounters } from '@/lib/contract/counters';

const ResetForm = z.object({ reason: ReasonInput });

/** Resets the counter of one class to zero. */
export function ResetAction({ explanation, subject, target, onDone }: SubjectActionProps) {
  const form = useForm({ resolver: zodResolver(ResetForm), defaultValues: { reason: '' } });
  const { class: endpointClass } = explanation;
  const effect = effectWords(predictEffect(explanation, { kind: 'reset', subject: subject.subject }));
  return (
    <ActionForm
      form={form}
      draft={`reset ${endpointClass} of ${target.type} ${target.identifier}`}
      effect={
        <>
          {subject.used === null ? 'Used' : formatNumber(subject.used)} → 0 of {formatNumber(subject.limit)} in{' '}
          {formatWindow(subject.window_seconds)}; {effect}.
        </>
      }
      submitLabel={`Reset ${CLASS_NAMES[endpointClass]}`}
      reasonExample="Tested their sign-in, on the phone with them"
      send={({ reason }) => call(resetCounters, { body: { ...target, class: endpointClass, reason } })}
      done={() => `The ${CLASS_NAMES[endpointClass]} counter of ${shorten(target.identifier, 32)} is reset.`}
      onDone={onDone}
    />
  );
}
