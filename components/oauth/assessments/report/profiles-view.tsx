import { GradeMark } from '@/components/oauth/assessments/grade';
import { type FindingsById, JudgedRow } from '@/components/oauth/assessments/report/judged-row';
import { TitledCard } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { describeProfile } from '@/lib/oauth/report/sentences';

type AssessedProfile = AssessmentReport['profiles'][number];
type Clause = AssessedProfile['clauses'][number];

/** States of a clause, worst first. */
const STATES = {
  violated: { label: 'Violated', variant: 'destructive' },
  undecided: { label: 'Undecided', variant: 'warning' },
  met: { label: 'Met', variant: 'success' },
  'not judged': { label: 'Not judged', variant: 'outline' },
} as const satisfies Record<Clause['state'], unknown>;

/** Shows the findings by the clauses of each profile, with its own grade. */
export function ProfilesView({ report: { profiles, findings } }: { report: AssessmentReport }) {
  const verdicts = new Map(findings.map((finding) => [finding.control, finding]));
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted-foreground">
        The grade at the top is for OAuth 2.1 and RFC 9700. Each profile has its own requirements. One violated clause
        gives at best C.
      </p>
      {profiles.map((profile) => (
        <ProfileCard key={profile.id} profile={profile} verdicts={verdicts} />
      ))}
    </div>
  );
}

function ProfileCard({ profile, verdicts }: { profile: AssessedProfile; verdicts: FindingsById }) {
  const { title, clauses, grade } = profile;
  const isFolded = ({ state }: Clause) => state === 'met' || state === 'not judged';
  const folded = clauses.filter(isFolded);
  return (
    <TitledCard
      title={
        <span className="flex items-center gap-2.5">
          <GradeMark grade={grade} /> {title}
        </span>
      }
      description={describeProfile(profile)}
      className="px-0 pb-0"
    >
      <ClauseList clauses={clauses.filter((clause) => !isFolded(clause))} verdicts={verdicts} />
      {folded.length === 0 ? null : (
        <Disclosure className="border-t px-2.5 py-1" title={`${folded.length} met or not judged`}>
          <ClauseList clauses={folded} verdicts={verdicts} />
        </Disclosure>
      )}
    </TitledCard>
  );
}

/** Returns whether the badges of the controls already say why a clause is in its state. */
function isShownByControls(state: Clause['state'], controls: readonly string[], verdicts: FindingsById): boolean {
  if (state === 'met') return controls.length > 0;
  return controls.some((control) => verdicts.get(control)?.verdict === 'failed');
}

function ClauseList({ clauses, verdicts }: { clauses: readonly Clause[]; verdicts: FindingsById }) {
  if (clauses.length === 0) return null;
  return (
    <ul className="divide-y border-t">
      {clauses.map(({ source, requirement, state, reason, controls }) => (
        <JudgedRow
          key={`${source} ${requirement}`}
          state={STATES[state]}
          title={requirement}
          source={source}
          controls={controls}
          verdicts={verdicts}
        >
          {isShownByControls(state, controls, verdicts) ? null : reason}
        </JudgedRow>
      ))}
    </ul>
  );
}
