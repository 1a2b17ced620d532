import { call } from '@/components/call';
import { limitWords, outcomeWords, placeName } from '@/components/candidates/place-names';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier } from '@/components/identifier/identifier';
import { ClientName } from '@/components/keys/client-name';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { TitledCard } from '@/components/ui/card';
import { type CandidateLimit, promoteCandidate, removeCandidate } from '@/lib/contract/candidates';
import { placeParts } from '@/lib/contract/fields/candidate';

const CandidateDialog = onDemand(() => import('@/components/candidates/candidate-dialog'));

/** One candidate: both limits, what it would have done to whom, and what can be done with it. */
export function CandidateCard({ candidate }: { candidate: CandidateLimit }) {
  const { place, limit, window_seconds, live, reason, created_at: since, ends_at: end, top } = candidate;
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
      description: 'It counts no more. The live limit stays as it is.',
      submitLabel: 'Remove',
      example: 'It would have refused customers',
      send: (why) => call(removeCandidate, { body: { place }, query: { reason: why } }),
      done: `The candidate of ${placeName(place)} is removed`,
    });
  return (
    <TitledCard
      title={placeName(place)}
      aside={
        <span className="text-xs text-muted-foreground">
          since <RelativeTime at={since} />
          {end === null ? null : (
            <>
              , ends <RelativeTime at={end} />
            </>
          )}
        </span>
      }
      className="flex flex-col gap-3"
    >
      <p className="text-sm tabular-nums">
        <span className="text-muted-foreground">Live</span> {limitWords(live)}
        <span className="mx-2 text-muted-foreground">→</span>
        <span className="text-muted-foreground">candidate</span>{' '}
        <span className="font-medium">{limitWords(candidate)}</span>
      </p>
      <p className="text-sm tabular-nums" aria-live="polite">
        {outcomeWords(candidate)}
      </p>
      {top.length === 0 ? null : (
        <ul className="flex flex-col gap-1.5 text-sm">
          {top.slice(0, 5).map(({ identifier, api_key_name: name, would_refuse: refused, would_allow: allowed }) => (
            <li key={identifier} className="flex min-w-0 items-center gap-3">
              {parts.group === 'clients' ? (
                <ClientName id={identifier} name={name} />
              ) : (
                <Identifier target={{ type, identifier }} className="max-w-60" />
              )}
              <span className="ml-auto whitespace-nowrap text-muted-foreground tabular-nums">
                {refused > 0 ? `would refuse ${formatNumber(refused)}` : `would allow ${formatNumber(allowed)} more`}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-xs break-words text-muted-foreground">{reason}</p>
      <div className="flex flex-wrap gap-2">
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
      </div>
    </TitledCard>
  );
}
