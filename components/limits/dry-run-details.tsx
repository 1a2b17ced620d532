import { SubjectName } from '@/components/identifier/subject-name';
import { formatBounds, nameDryRunLimit } from '@/components/limits/limit-words';
import type { DryRun, DryRunLimit } from '@/lib/contract/policies-dry-run';
import { formatCount } from '@/lib/format-number';

const NAMED = 5;

function Limit({ limit }: { limit: DryRunLimit }) {
  const { in_force: now, changed, most_refused: most, subject } = limit;
  return (
    <li className="flex flex-col gap-1.5 border-t pt-2.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <span className="font-medium">{nameDryRunLimit(limit)}</span>
        <span className="tabular-nums">
          {formatBounds(now)} → <span className="font-medium">{formatBounds(changed)}</span>{' '}
          <span className="text-muted-foreground">of {formatCount(limit.requests, 'unit')}</span>
        </span>
      </div>
      {most.length > 0 ? (
        <ul className="flex flex-col gap-0.5" aria-label={`Refused most by ${nameDryRunLimit(limit)}`}>
          {most.slice(0, NAMED).map(({ identifier, api_key_name: name, ...range }) => (
            <li key={identifier} className="flex min-h-6 items-center justify-between gap-3">
              <SubjectName subject={subject} identifier={identifier} name={name} />
              <span className="shrink-0 text-xs tabular-nums">{formatBounds(range)}</span>
            </li>
          ))}
        </ul>
      ) : null}
      {changed.identifiers.at_most > NAMED ? (
        <p className="text-xs text-muted-foreground">{formatBounds(changed.identifiers)} identifiers total.</p>
      ) : null}
      {limit.requests_not_followed > 0 ? (
        <p className="text-xs text-muted-foreground">
          {formatCount(limit.requests_not_followed, 'more unit')} came from identifiers with too little traffic to be
          tracked; their result is unknown.
        </p>
      ) : null}
      {limit.history_short ? (
        <p className="text-xs text-muted-foreground">
          This window is longer than the recorded hour, so more may have been refused.
        </p>
      ) : null}
    </li>
  );
}

export default function DryRunDetails({ run }: { run: DryRun }) {
  return (
    <div className="flex max-h-[45vh] flex-col gap-2.5 overflow-y-auto pt-2">
      <ul className="flex flex-col gap-2.5">
        {run.limits.map((limit) => (
          <Limit key={`${limit.path} ${limit.requests}`} limit={limit} />
        ))}
      </ul>
      <p className="border-t pt-2.5 text-xs text-muted-foreground">
        <span className="font-medium text-foreground">Method.</span> Requests are recorded in steps of ten seconds, for
        the 64 busiest identifiers of every minute. They are replayed once with a window that counts as few as possible
        and once with one that counts as many as possible: the lower and the upper bound. A request counts as many units
        as it costs; where that is more than 1, up to one request more can be refused in each window. Not modelled:
        callers who would have waited or retried.
      </p>
    </div>
  );
}
