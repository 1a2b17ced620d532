import { ArrowLeftRight, CalendarPlus, Gauge, KeyRound, RotateCcw } from 'lucide-react';
import type { Done } from '@/components/help/actions/action-form';
import { ActionLink, ActionRow, type RowState } from '@/components/help/actions/action-row';
import { ClientTypeAction } from '@/components/help/actions/client-type-action';
import { GrantAction } from '@/components/help/actions/grant-action';
import { ResetAction } from '@/components/help/actions/reset-action';
import { TierAction } from '@/components/help/actions/tier-action';
import { findIdentity } from '@/components/links/help-target';
import { RoleGate } from '@/components/shell/role-gate';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { isUuid } from '@/lib/contract/fields/ids';

interface KeyActionsProps {
  explanation: DecisionExplanation;
  row: (id: string) => RowState;
  onDone: (done: Done) => void;
}

/** Actions that help if the rate limit of a client refuses. */
export function ClientActions({ explanation, row, onDone }: KeyActionsProps) {
  const subject = explanation.subjects.find((one) => one.subject === 'client');
  const target = subject && findIdentity('client', subject.identifier);
  if (!subject || !target) return null;
  const isKey = isUuid(subject.identifier);
  const to = subject.source.id === 'confidential' ? 'public' : 'confidential';
  return (
    <>
      <ActionRow
        {...row('reset')}
        icon={RotateCcw}
        title={isKey ? 'Reset the key' : 'Reset the client'}
        text="Once: its rate limit starts again from zero. The quota is not touched."
      >
        <ResetAction explanation={explanation} subject={subject} target={target} onDone={onDone} />
      </ActionRow>
      {isKey ? (
        <>
          <OpenKeyLink id={subject.identifier} />
          <RoleGate needs="owner">
            <ActionRow
              {...row('client-type')}
              icon={ArrowLeftRight}
              title={`Make it a ${to} client`}
              text="The other client type has another rate limit."
            >
              <ClientTypeAction explanation={explanation} subject={subject} to={to} onDone={onDone} />
            </ActionRow>
          </RoleGate>
        </>
      ) : null}
    </>
  );
}

/** Actions that help if the monthly quota of a key refuses. */
export function QuotaActions({ explanation, row, onDone }: KeyActionsProps) {
  const { quota } = explanation;
  if (!quota) return null;
  return (
    <>
      <OpenKeyLink id={quota.api_key_id} />
      <ActionRow
        {...row('grant')}
        icon={CalendarPlus}
        title="Grant more requests"
        text="Adds to its quota until a date, then ends automatically."
      >
        <GrantAction explanation={explanation} quota={quota} onDone={onDone} />
      </ActionRow>
      <ActionRow {...row('tier')} icon={Gauge} title="Change the tier" text="Another quota, starting this month.">
        <TierAction explanation={explanation} quota={quota} onDone={onDone} />
      </ActionRow>
    </>
  );
}

function OpenKeyLink({ id }: { id: string }) {
  return (
    <ActionLink
      icon={KeyRound}
      title="Open the key"
      text="Usage, forecast and limits of this key."
      href={`/keys/${id}`}
    />
  );
}
