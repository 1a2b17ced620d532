import { KeyRound, RotateCcw, TrendingUp } from 'lucide-react';
import type { Done } from '@/components/help/actions/action-form';
import { ActionLink, ActionRow, type RowState } from '@/components/help/actions/action-row';
import { ResetAction } from '@/components/help/actions/reset-action';
import type { DecisionExplanation } from '@/lib/contract/explain';

interface LimitActionsProps {
  explanation: DecisionExplanation;
  /** The window or the places of the named limit that refuses. */
  subject: DecisionExplanation['subjects'][number];
  row: (id: string) => RowState;
  onDone: (done: Done) => void;
}

/** Actions that help if a named limit refuses. */
export function LimitActions({ explanation, subject, row, onDone }: LimitActionsProps) {
  const { limit_name: name = '', identifier } = subject;
  const isKey = explanation.api_key?.id === identifier;
  return (
    <>
      <ActionRow
        {...row('reset')}
        icon={RotateCcw}
        title={`Reset ${name}`}
        text="Once: every window and place of this subject starts again from zero."
      >
        <ResetAction
          explanation={explanation}
          subject={subject}
          target={{ type: 'subject', identifier }}
          onDone={onDone}
        />
      </ActionRow>
      {isKey ? (
        <ActionLink
          icon={KeyRound}
          title="Give the key its own numbers"
          text={`They replace those of ${name} for this key only.`}
          href={`/keys/${identifier}`}
        />
      ) : null}
      <ActionLink
        icon={TrendingUp}
        title={`Raise ${name}`}
        text="For all of its subjects, from the next request."
        href={`/limits?${new URLSearchParams({ tab: 'named', edit: name })}`}
      />
    </>
  );
}
