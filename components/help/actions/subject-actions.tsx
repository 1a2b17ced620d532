import { RotateCcw, ShieldCheck, TrendingUp } from 'lucide-react';
import { ActionRow, type RowState } from '@/components/help/actions/action-row';
import { AllowAction } from '@/components/help/actions/allow-action';
import { RaiseAction } from '@/components/help/actions/raise-action';
import { ResetAction } from '@/components/help/actions/reset-action';
import { hasOwnOverride, type SubjectActionProps } from '@/components/help/actions/subject-action';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';

/** Actions that help an address or a user, mildest first. */
export function SubjectActions({ row, ...props }: SubjectActionProps & { row: (id: string) => RowState }) {
  const name = CLASS_NAMES[props.endpointClass];
  return (
    <>
      <ActionRow
        {...row('reset')}
        icon={RotateCcw}
        title={`Reset ${name}`}
        text="Once: the counter of this class starts again from zero."
      >
        <ResetAction {...props} />
      </ActionRow>
      <ActionRow
        {...row('raise')}
        icon={TrendingUp}
        title={hasOwnOverride(props) ? 'Raise its override' : `Raise the ${name} limit for an hour`}
        text="More requests in this class; the other limits stay."
      >
        <RaiseAction {...props} />
      </ActionRow>
      {props.subject.bypass === null ? (
        <ActionRow
          {...row('allow')}
          icon={ShieldCheck}
          title="Allow for an hour"
          text="No rate limits at all. Only for someone you trust."
        >
          <AllowAction {...props} />
        </ActionRow>
      ) : null}
    </>
  );
}
