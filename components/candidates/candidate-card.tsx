import { call } from '@/components/api/call';
import { outcomeWords, placeName } from '@/components/candidates/place-names';
import { TrialCard } from '@/components/candidates/trial-card';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { numbersWords, type ShownNumbers } from '@/components/named-limits/numbers-words';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { type CandidateLimit, promoteCandidate, removeCandidate } from '@/lib/contract/candidates';
import { placeParts } from '@/lib/contract/fields/candidate';

const CandidateDialog = loadOnDemand(() => import('@/components/candidates/candidate-dialog'));

/** Shows a candidate limit next to the live one. */
export function CandidateCard({ candidate }: { candidate: CandidateLimit }) {
  const { id, place, live } = candidate;
  const liveWords = live === null ? 'removed' : numbersWords({ ...live, ...pickTried(live, candidate) });
  const open = useDialog();
  const ask = useReasonDialog(['candidates', 'policies', 'limits']);
  const parts = placeParts(place);
  const type =
    parts.group === 'limits' ? 'subject' : parts.group === 'classes' && parts.subject === 'ip' ? 'ip' : 'user_id';
  const promote = () =>
    ask({
      title: `Promote the candidate of ${placeName(place)}?`,
      description: `${liveWords} becomes ${numbersWords(candidate)}, from the next request. ${outcomeWords(candidate)}`,
      submitLabel: 'Promote',
      example: 'It refused no customer for a week',
      mild: true,
      send: (why) => call(promoteCandidate, { body: { place, id, reason: why } }),
      done: `${placeName(place)} is ${numbersWords(candidate)} now`,
    });
  const remove = () =>
    ask({
      title: `Remove the candidate of ${placeName(place)}?`,
      description: 'It stops counting. The live limit does not change.',
      submitLabel: 'Remove',
      example: 'It would have refused customers',
      send: (why) => call(removeCandidate, { body: { place }, query: { reason: why } }),
      done: `The candidate of ${placeName(place)} is removed`,
    });
  return (
    <TrialCard
      title={placeName(place)}
      candidate={candidate}
      differs={
        <p className="text-sm tabular-nums">
          <span className="text-muted-foreground">Live</span> {liveWords}
          <span className="mx-2 text-muted-foreground">→</span>
          <span className="text-muted-foreground">candidate</span>{' '}
          <span className="font-medium">{numbersWords(candidate)}</span>
        </p>
      }
      outcome={outcomeWords(candidate)}
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
function pickTried(live: ShownNumbers, candidate: ShownNumbers): Pick<ShownNumbers, 'windows' | 'in_flight'> {
  return {
    windows: candidate.windows === undefined ? undefined : live.windows,
    in_flight: candidate.in_flight === undefined ? undefined : live.in_flight,
  };
}
