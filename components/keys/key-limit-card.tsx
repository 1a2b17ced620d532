import type { ReactNode } from 'react';
import { useCall } from '@/components/api/use-call';
import { formatDuration, formatWindow } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { HelpButton } from '@/components/identifier/help-button';
import { LimitInstrument } from '@/components/limit-use/limit-instrument';
import { useLimitUse } from '@/components/limit-use/use-limit-use';
import { QueryPart } from '@/components/list/query-part';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';
import { MeterBar } from '@/components/ui/meter-bar';
import { type DecisionExplanation, explainDecision } from '@/lib/contract/explain';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import { formatNumber } from '@/lib/format-number';

type Subject = DecisionExplanation['subjects'][number];

/** Shows the limits that a request with this key meets now: that of its client type and that of its user. */
export function KeyLimit({ apiKey: { id, name } }: { apiKey: ApiKeyWithUsage }) {
  const use = useLimitUse(id);
  const place = use.data?.value.limits.find((each) => !each.place.startsWith('limits.'))?.place ?? 'clients';
  const explained = useCall(
    ['api-keys', id, 'explain'],
    explainDecision,
    { body: { class: 'read', api_key_id: id } },
    { refetchInterval: 2_000, staleTime: 0 },
  );
  const help = <HelpButton request={{ type: 'api_key', identifier: id }} name={name} label="Why refused?" />;
  return (
    <TitledCard title="Rate limit now" aside={help} className="flex flex-col gap-4">
      <QueryPart query={explained}>
        {({ value: { subjects, decision } }) => (
          <>
            {subjects.map((subject) => (
              <Limit key={subject.subject} subject={subject}>
                {subject.subject === 'client' ? (
                  <LimitInstrument query={use} place={place} label="Client limit" subject="client" isOneCaller />
                ) : null}
              </Limit>
            ))}
            <p className="flex flex-wrap items-center gap-2 border-t pt-3 text-sm">
              <Badge variant={decision.allowed ? 'success' : 'destructive'}>
                {decision.allowed ? 'allowed' : 'refused'}
              </Badge>
              <span className="text-muted-foreground">
                {decision.allowed
                  ? 'The next read with this key, from any address.'
                  : (decision.error_description ?? 'The next read with this key.')}
              </span>
            </p>
          </>
        )}
      </QueryPart>
    </TitledCard>
  );
}

function Limit({
  subject: { subject, counted_as, limit, window_seconds, used, reset, source, bypass },
  children,
}: {
  subject: Subject;
  children: ReactNode;
}) {
  const now = useNow();
  const seconds = reset === null || now === null ? 0 : Math.max(0, reset - Math.floor(now / 1000));
  const of = `of ${formatNumber(limit)} in ${formatWindow(window_seconds)}`;
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
        <span className="text-xl font-semibold">{used === null ? '–' : formatNumber(used)}</span>
        <span className="text-sm text-muted-foreground">{of}</span>
        <span className="ml-auto min-w-0 truncate text-sm">
          {subject === 'user' ? `user ${counted_as}` : 'this client'}
        </span>
      </div>
      <MeterBar
        label={`${subject === 'user' ? 'User limit' : 'Client limit'}`}
        value={used ?? 0}
        max={limit}
        className="h-2"
      />
      <p className="text-xs text-muted-foreground">
        {source.detail.replace(/\.$/, '')}.{bypass ? ` Bypassed by the allowlist: ${bypass.reason}.` : null}
        {used !== null && used > 0 && seconds > 0 ? ` Fully reset in ${formatDuration(seconds)}.` : null}
      </p>
      {children}
    </div>
  );
}
