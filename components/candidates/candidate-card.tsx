import { call } from '@/components/api/call';
import { limitWords, outcomeWords, placeName } from '@/components/candidates/place-names';
import { TrialCard } from '@/components/candidates/trial-card';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { type CandidateLimit, promoteCandidate, removeCandidate } from '@/lib/contract/candidates';
import { placeParts } from '@/lib/contract/fields/candidate';

const CandidateDialog = loadOnDemand(() => import('@/components/candidates/candidate-dialog'));

/** Shows a candidate limit next to the live one. */
export function CandidateCard({ candidate }: { candidate: CandidateLimit }) {
  const { place, limit, window_seconds, live } = candidate;
  const open = useDialog();
  const ask = useReasonDialog(['candidates', 'policies']);
  const parts = placeParts(place);
  const type = parts.group === 'classes' && parts.subject === 'ip' ? 'ip' : 'user_id';
  const promote = () =>
    ask({
      title: `Promote the candidate of ${placeName(place)}?`,
      description: `${limitWords(live)} becomes ${limitWords(candidate)}, from the next request. ${outcomeWords(candidate)}`,
      submitLabel: 'Promote',
      example: 'It refused no customer for a week',
      mild: true,
      send: (why) => call(promoteCandidate, { body: { place, limit, window_seconds, reason: why } }),
      done: `${placeName(place)} is ${limitWords(candidate)} now`,
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
          <span className="text-muted-foreground">Live</span> {limitWords(live)}
          <span className="mx-2 text-muted-foreground">→</span>
          <span className="text-muted-foreground">candidate</span>{' '}
          <span className="font-medium">{limitWords(candidate)}</span>
        </p>
      }
      outcome={outcomeWords(candidate)}
      findTarget={(identifier) => (parts.group === 'clients' ? null : { type, identifier })}
    >
      <RoleButton needs="owner" onClick={promote}>
        Promote…
      </RoleButton>
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
