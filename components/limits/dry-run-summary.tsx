import { ArrowRight, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { explainError } from '@/components/api/explain-error';
import { ClientLabel } from '@/components/identifier/client-name';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { describeDryRunEffect, describeUsedUp } from '@/components/limits/limit-words';
import type { PolicyChange } from '@/components/limits/policy-changes';
import { useDryRun } from '@/components/limits/use-dry-run';
import { findIdentity } from '@/components/links/help-target';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Button } from '@/components/ui/button';
import { shorten } from '@/components/ui/shorten';
import type { DryRun, DryRunLimit } from '@/lib/contract/policies-dry-run';

const DryRunDetails = loadOnDemand(() => import('@/components/limits/dry-run-details'));

/** Lists each unsaved change, old to new, with its effect on the traffic of the last hour. */
export function DryRunSummary({ changes, patch }: { changes: readonly PolicyChange[]; patch: unknown }) {
  const [open, setOpen] = useState(false);
  const { data, error, isOld, refetch } = useDryRun(patch);
  const failed = error !== null && !isOld && !data;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-start gap-2">
        <ul
          aria-label="Unsaved changes"
          aria-busy={isOld}
          className="flex max-h-[24vh] min-w-0 flex-1 flex-col gap-1 overflow-y-auto"
        >
          {changes.map((change) => (
            <li key={change.path} className="flex flex-wrap items-baseline gap-x-2 text-sm tabular-nums">
              <span>{change.label}</span>
              <span className="inline-flex items-center gap-1 font-medium">
                {change.before} <ArrowRight role="img" aria-label="becomes" className="size-3.5" /> {change.after}
              </span>
              <span role="status" className="min-w-0 text-muted-foreground">
                {failed || patch === null ? null : <Effect path={change.path} run={isOld ? undefined : data} />}
              </span>
            </li>
          ))}
        </ul>
        {data && data.limits.length > 0 && data.known_from !== null ? (
          <Button
            variant="ghost"
            size="sm"
            className="-my-1 max-sm:-mr-1"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? 'Hide details' : 'Details'}
          </Button>
        ) : null}
      </div>
      {failed ? (
        <p className="flex flex-wrap items-center gap-2 text-sm text-destructive-text">
          {explainError(error).title}: the last hour was not replayed.
          <Button variant="ghost" size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </p>
      ) : null}
      {isOld || data?.warning === undefined ? null : (
        <p role="status" className="flex items-start gap-1.5 text-sm">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warning" />
          {data.warning}
        </p>
      )}
      {open && data && data.limits.length > 0 ? <DryRunDetails run={data} /> : null}
    </div>
  );
}

/** Shows the effect of one change. `run` is undefined while the last hour is replayed. */
function Effect({ path, run }: { path: string; run: DryRun | undefined }) {
  if (run === undefined) return 'Replaying the last hour…';
  const limit = run.limits.find((each) => each.path === path);
  if (path.startsWith('exceptions.')) return 'Exceptions that exist stay as they are.';
  if (path.endsWith('.lease')) return 'The limit stays the same.';
  if (limit === undefined) return 'The effect on past traffic is unknown.';
  const keys = describeUsedUp(limit);
  if (run.known_from === null) return keys === '' ? 'No traffic in the last hour.' : keys;
  const { effect, who } = describeDryRunEffect(limit);
  const worse = limit.changed.at_most > limit.in_force.at_most;
  return (
    <>
      {worse ? <TriangleAlert aria-hidden className="mr-1 inline size-3.5 text-warning" /> : null}
      Last hour: {effect}. {keys} {who === null ? null : <MostRefusedCallers who={who} limit={limit} />}
    </>
  );
}

function MostRefusedCallers({ who, limit }: { who: string; limit: DryRunLimit }) {
  const { help } = useSubjectActions();
  const [first] = limit.most_refused;
  const identity = first === undefined ? null : findIdentity(limit.subject, first.identifier);
  if (!identity) return `${who.replace(/[:,].*$/, '')}.`;
  const { type, identifier } = identity;
  return (
    <>
      {who}{' '}
      <Button variant="ghost" size="inline" className="underline underline-offset-4" onClick={() => help(identity)}>
        {type === 'api_key' ? <ClientLabel id={identifier} name={first?.api_key_name} /> : shorten(identifier, 32)}
      </Button>
    </>
  );
}
