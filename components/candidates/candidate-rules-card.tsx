import { call } from '@/components/api/call';
import { describeRulesOutcome } from '@/components/candidates/place-names';
import { TrialCard } from '@/components/candidates/trial-card';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { QueryPart } from '@/components/list/query-part';
import { useRouteRules } from '@/components/route-rules/route-rules';
import { RuleDifferences } from '@/components/route-rules/rule-differences';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { type CandidateRules, promoteCandidateRules, removeCandidateRules } from '@/lib/contract/candidates';
import { parseRange } from '@/lib/limiter/address';

/** Shows candidate route rules next to the live ones. */
export default function CandidateRulesCard({ candidate }: { candidate: CandidateRules }) {
  const { id, rules } = candidate;
  const live = useRouteRules();
  const ask = useReasonDialog(['candidates', 'route-rules']);
  const promote = () =>
    ask({
      title: 'Promote the candidate route rules?',
      description: `They become the route rules, from the next request. ${describeRulesOutcome(candidate)}`,
      submitLabel: 'Promote',
      example: 'They refused no customer for a week',
      mild: true,
      send: (why) => call(promoteCandidateRules, { body: { id, reason: why } }),
      done: 'The candidate route rules are live now',
    });
  const remove = () =>
    ask({
      title: 'Remove the candidate route rules?',
      description: 'They stop counting. The live rules do not change.',
      submitLabel: 'Remove',
      example: 'They would have refused customers',
      send: (why) => call(removeCandidateRules, { query: { reason: why } }),
      done: 'The candidate route rules are removed',
    });
  return (
    <TrialCard
      title="Route rules"
      candidate={candidate}
      differs={
        <QueryPart query={live} skeleton="h-5">
          {({ value }) => (
            <RuleDifferences
              label="Changes of the live rules"
              before={value}
              after={rules}
              none="They are the same as the live rules."
            />
          )}
        </QueryPart>
      }
      outcome={describeRulesOutcome(candidate)}
      findTarget={(identifier) => (parseRange(identifier) === null ? null : { type: 'ip', identifier })}
    >
      <RoleButton needs="owner" onClick={promote}>
        Promote…
      </RoleButton>
      <Button asChild variant="outline">
        <Link href="/limits?tab=routes">Change…</Link>
      </Button>
      <RoleButton needs="owner" variant="ghost" onClick={remove}>
        Remove…
      </RoleButton>
    </TrialCard>
  );
}
