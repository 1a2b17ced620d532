import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { SourcedLimit } from '@/components/explanation/limit-source';
import { TraceStep } from '@/components/explanation/trace-step';
import { formatLimitSpan } from '@/components/format/limit-span';
import { formatShortTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { buildInspectHref } from '@/components/links/target';
import { Link } from '@/components/ui/link';
import { MeterBar } from '@/components/ui/meter-bar';
import { Shortened } from '@/components/ui/shortened';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { isUuid } from '@/lib/contract/fields/ids';
import { formatNumber } from '@/lib/format-number';

type Subject = DecisionExplanation['subjects'][number];

const NAMES = { ip: 'Address', client: 'Client', user: 'User', limit: 'Limit' } as const;

const TYPES = { ip: 'ip', user: 'user_id', limit: 'subject' } as const;

function SubjectLink({ subject: { subject, identifier, name } }: { subject: Subject }) {
  const isKey = subject === 'client' && isUuid(identifier);
  if (subject === 'client' && !isKey) return <Shortened text={identifier} className="font-mono text-xs" />;
  const href = subject === 'client' ? `/keys/${identifier}` : buildInspectHref({ type: TYPES[subject], identifier });
  return (
    <Link
      href={href}
      className="inline-flex min-h-6 min-w-0 items-center rounded-xs underline-offset-4 hover:underline"
    >
      {isKey ? (
        <span className="inline-flex min-w-0 items-center gap-1">
          <KeyRound aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
          <Shortened text={name ?? identifier} />
        </span>
      ) : (
        <Shortened text={identifier} className="font-mono text-xs" />
      )}
    </Link>
  );
}

interface UseProps {
  label: string;
  used: number | null;
  limit: number;
}

function UsageMeter({ label, used, limit }: UseProps) {
  return used === null ? null : <MeterBar label={label} value={used} max={limit} className="h-1" />;
}

const renderUsage = (used: number | null, limit: number): ReactNode => (
  <>
    <span className="font-medium text-foreground">{used === null ? '?' : formatNumber(used)}</span> of{' '}
    {formatNumber(limit)}
  </>
);

/** Shows one rate limit: its subject, its usage, its source, and when it admits again. */
export function LimitStep({ subject, skipped, at }: { subject: Subject; skipped: boolean; at: string }) {
  const { zone } = useTimeZone();
  const {
    subject: kind,
    identifier,
    counted_as,
    limit,
    used,
    refuses,
    retry_after,
    source,
    limit_name,
    cost,
  } = subject;
  const name = limit_name === undefined ? NAMES[kind] : `Limit ${limit_name}`;
  const state = skipped ? 'skipped' : refuses ? 'refuses' : 'passes';
  const again = retry_after === null ? null : Date.parse(at) + retry_after * 1000;
  return (
    <TraceStep
      state={state}
      title={
        <span className="inline-flex max-w-full min-w-0 items-center gap-1.5">
          {name} {limit_name === undefined ? null : <span className="text-muted-foreground">of</span>}
          <SubjectLink subject={subject} />
        </span>
      }
      aside={
        <>
          {renderUsage(used, limit)} {formatLimitSpan(subject)}
        </>
      }
    >
      {skipped ? null : (
        <UsageMeter label={limit_name === undefined ? `${name} limit` : name} used={used} limit={limit} />
      )}
      <p className="break-words">
        <SourcedLimit limit={limit} source={source} limitName={limit_name} />
        {limit_name !== undefined && cost > 1 ? `; costs ${formatNumber(cost)}` : null}
        {counted_as === identifier ? null : (
          <>
            ; counted as <span className="font-mono">{counted_as}</span>
          </>
        )}
      </p>
      {refuses && !skipped ? (
        <p className="font-medium text-destructive-text">
          {again === null ? 'Refuses every such request.' : `Refuses until ${formatShortTime(again, at, zone)}.`}
        </p>
      ) : null}
    </TraceStep>
  );
}

/** Shows the monthly quota of the key. */
export function QuotaStep({ quota, at }: { quota: NonNullable<DecisionExplanation['quota']>; at: string }) {
  const { zone } = useTimeZone();
  const { api_key_id, name, limit, used, refuses, reset, source, overage_allowed } = quota;
  const over = overage_allowed && used !== null && used >= limit;
  return (
    <TraceStep
      state={refuses ? 'refuses' : 'passes'}
      title={
        <>
          Quota of{' '}
          <Link href={`/keys/${api_key_id}`} className="rounded-xs underline-offset-4 hover:underline">
            {name}
          </Link>
        </>
      }
      aside={<>{renderUsage(used, limit)} this month</>}
    >
      <UsageMeter label={`Quota of ${name}`} used={used} limit={limit} />
      <p className="break-words">
        <SourcedLimit limit={limit} source={source} />
        {over ? '; overage is allowed' : null}
        {reset === null ? null : `; resets ${formatShortTime(reset * 1000, at, zone)}`}
      </p>
    </TraceStep>
  );
}
