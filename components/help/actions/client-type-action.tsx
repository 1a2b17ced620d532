import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonInput } from '@/components/form/fields/reason-field';
import { formatWindow } from '@/components/format/duration';
import { ActionForm, type Done } from '@/components/help/actions/action-form';
import { describeEffect, predictEffect } from '@/components/help/effect';
import { usePolicies } from '@/components/policies/policies';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import { updateApiKey } from '@/lib/contract/keys';
import { formatNumber } from '@/lib/format-number';

const TypeForm = z.object({ reason: ReasonInput });

interface ClientTypeActionProps {
  explanation: DecisionExplanation;
  subject: DecisionExplanation['subjects'][number];
  /** The new client type. */
  to: ClientType;
  onDone: (done: Done) => void;
}

/** Gives a key the rate limit of the other client type. */
export function ClientTypeAction({ explanation, subject, to, onDone }: ClientTypeActionProps) {
  const next = usePolicies().data?.value.clients[to];
  const form = useForm({ resolver: zodResolver(TypeForm), defaultValues: { reason: '' } });
  const formatRate = (limit: number, seconds: number) => `${formatNumber(limit)} in ${formatWindow(seconds)}`;
  const change = next && {
    from: formatRate(subject.limit, subject.window_seconds),
    to: formatRate(next.limit, next.window_seconds),
    // A window of another length starts a new count.
    effect: predictEffect(
      explanation,
      next.window_seconds === subject.window_seconds
        ? { kind: 'limit', subject: 'client', limit: next.limit }
        : { kind: 'reset', subject: 'client' },
    ),
  };
  const name = subject.name ?? subject.identifier;
  return (
    <ActionForm
      form={form}
      draft={`client type of ${subject.identifier}`}
      effect={change ? `${change.from} → ${change.to}; ${describeEffect(change.effect)}.` : 'Reading the limits…'}
      managed={subject.source.managed ? { kind: 'api_keys', id: name } : null}
      submitLabel={`Make it ${to}`}
      reasonExample="Runs on their server, not in a browser"
      send={({ reason }) =>
        call(updateApiKey, { params: { id: subject.identifier }, body: { client_type: to }, query: { reason } })
      }
      done={() => `${name} is a ${to} client.`}
      onDone={onDone}
    />
  );
}
