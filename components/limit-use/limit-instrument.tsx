import { Sparkline } from '@/components/chart/sparkline';
import { KeyLink } from '@/components/identifier/key-link';
import type { LimitUseQuery } from '@/components/limit-use/use-limit-use';
import { findIdentity } from '@/components/links/help-target';
import { buildInspectHref } from '@/components/links/target';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';
import { Shortened } from '@/components/ui/shortened';
import { Skeleton } from '@/components/ui/skeleton';
import type { LimitInUse } from '@/lib/contract/limit-use';
import { formatCount, formatNumber } from '@/lib/format-number';

interface LimitInstrumentProps {
  query: LimitUseQuery;
  /** Path of the limit in the policies, or `limits.` and its name. */
  place: string;
  /** Prefix of the accessible names. */
  label: string;
  subject: 'ip' | 'user' | 'client' | 'limit';
  /** Noun of what a named limit counts, in the plural. */
  unit?: string;
  /** True if the query reads the use of one caller. The instrument then names no nearest callers. */
  isOneCaller?: boolean;
}

/** Shows the last hour of a limit: a sparkline, the largest used share, and who came nearest to it. */
export function LimitInstrument({ query, place, label, subject, unit, isOneCaller }: LimitInstrumentProps) {
  const use = query.data?.value.limits.find((each) => each.place === place);
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted-foreground tabular-nums">
      {query.data === undefined ? (
        query.error === null ? (
          <Skeleton className="h-5 w-56" />
        ) : (
          'The last hour could not be read.'
        )
      ) : use === undefined ? (
        'Not used in the last 60 whole minutes.'
      ) : (
        <>
          <Sparkline points={use.points} label={`${label}, last hour`} />
          <span title="Total of the last 60 minutes, admitted or refused">
            {unit === undefined ? formatCount(use.units, 'unit') : `${formatNumber(use.units)} ${unit}`}
          </span>
          <Peak percent={use.peak_percent} />
          {use.last_day === null ? null : <LastDay day={use.last_day} />}
          {isOneCaller ? null : <NearestCallers use={use} label={label} subject={subject} />}
        </>
      )}
    </div>
  );
}

function Peak({ percent }: { percent: number | null }) {
  if (percent === null) return null;
  const tone = percent >= 100 ? 'text-destructive-text' : percent >= 80 ? 'text-warning-text' : 'text-foreground';
  return (
    <span title="Largest share of the limit that one caller used in the last hour">
      Peak <span className={cn('font-medium', tone)}>{formatNumber(percent)}%</span>
    </span>
  );
}

function LastDay({ day: { allowed, refused } }: { day: NonNullable<LimitInUse['last_day']> }) {
  return (
    <span>
      Last day {formatNumber(allowed)}
      {refused === 0 ? '' : `, ${formatNumber(refused)} refused`}
    </span>
  );
}

function NearestCallers({
  use,
  label,
  subject,
}: { use: LimitInUse } & Pick<LimitInstrumentProps, 'label' | 'subject'>) {
  if (use.nearest.length === 0) return null;
  return (
    <ul aria-label={`${label}, nearest callers`} className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
      <li aria-hidden>Nearest:</li>
      {use.nearest.map(({ identifier, api_key_name: name, peak_percent: percent }) => (
        <li key={identifier} className="flex min-w-0 items-center gap-1.5">
          <CallerLink identifier={identifier} name={name} subject={subject} />
          <span>{formatNumber(percent)}%</span>
        </li>
      ))}
    </ul>
  );
}

/** Links to the page of an API key, or to the counters of another caller. */
function CallerLink({
  identifier,
  name,
  subject,
}: { identifier: string; name: string | null } & Pick<LimitInstrumentProps, 'subject'>) {
  const identity = findIdentity(subject, identifier);
  if (name !== null)
    return (
      <KeyLink id={identifier} title={identifier} className="max-w-40 truncate">
        {name}
      </KeyLink>
    );
  if (identity === null) return <Shortened text={identifier} className="font-mono" />;
  return (
    <Link href={buildInspectHref(identity)} className="min-w-0 rounded-xs font-mono underline-offset-4 hover:underline">
      <Shortened text={identifier} />
    </Link>
  );
}
