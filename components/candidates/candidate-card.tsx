import { call } from '@/components/api/call';
import { describeLimitOutcome, namePlace } from '@/components/candidates/place-names';
import { TrialCard } from '@/components/candidates/trial-card';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { formatLimitNumbers, type ShownNumbers } from '@/components/named-limits/numbers-words';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { type CandidateLimit, promoteCandidate, removeCandidate } from '@/lib/contract/candidates';
import { splitPlace } from '@/lib/contract/fields/candidate';

const CandidateDialog = loadOnDemand(() => import('@/components/candidates/candidate-dialog'));

/** Shows a candidate limit next to the live one. */
export function CandidateCard({ candidate }: { candidate: CandidateLimit }) {
  const { id, place, live } = candidate;
  const liveWords =
    live === null ? 'removed' : formatLimitNumbers({ ...live, ...pickReplacedNumbers(live, candidate) });
  const open = useDialog();
  const ask = useReasonDialog(['candidates', 'policies', 'limits']);
  const parts = splitPlace(place);
  const type =
    parts.group === 'limits' ? 'subject' : parts.group === 'classes' && parts.subject === 'ip' ? 'ip' : 'user_id';
  const promote = () =>
    ask({
      title: `Promote the candidate of ${namePlace(place)}?`,
      description: `${liveWords} becomes ${formatLimitNumbers(candidate)}, from the next request. ${describeLimitOutcome(candidate)}`,
      submitLabel: 'Promote',
      example: 'It refused no customer for a week',
      mild: true,
      send: (why) => call(promoteCandidate, { body: { place, id, reason: why } }),
      done: `${namePlace(place)} is ${formatLimitNumbers(candidate)} now`,
    });
  const remove = () =>
    ask({
      title: `Remove the candidate of ${namePlace(place)}?`,
      description: 'It stops counting. The live limit does not change.',
      submitLabel: 'Remove',
      example: 'It would have refused customers',
      send: (why) => call(removeCandidate, { body: { place }, query: { reason: why } }),
      done: `The candidate of ${namePlace(place)} is removed`,
    });
  return (
    <TrialCard
      title={namePlace(place)}
      candidate={candidate}
      differs={
        <p className="text-sm tabular-nums">
          <span className="text-muted-foreground">Live</span> {liveWords}
          <span className="mx-2 text-muted-foreground">→</span>
          <span className="text-muted-foreground">candidate</span>{' '}
          <span className="font-medium">{formatLimitNumbers(candidate)}</span>
        </p>
      }
      outcome={describeLimitOutcome(candidate)}
      findTarget={(identifier) => (parts.group === 'clients' ? null : { type, identifier })}
    >
      {live === null ? null : (
        <RoleButton needs="owner" onClick={promote}>
          Promote…
        </RoleButton>
      )}
      <RoleButton
        needs="owner"
        variant="outline"
        onClick={() => open((onClose) => <CandidateDialog candidate={candidate} onClose={onClose} />)}
      >
        Change…
      </RoleButton>
      <RoleButton needs="owner" variant="ghost" onClick={remove}>
        Remove…
      </RoleButton>
    </TrialCard>
  );
}

/** Picks the numbers of the live limit that a candidate replaces, so that both are comparable. */
function pickReplacedNumbers(live: ShownNumbers, candidate: ShownNumbers): Pick<ShownNumbers, 'windows' | 'in_flight'> {
  return {
    windows: candidate.windows === undefined ? undefined : live.windows,
    in_flight: candidate.in_flight === undefined ? undefined : live.in_flight,
  };
}
