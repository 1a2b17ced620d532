import { useState } from 'react';
import { useCall } from '@/components/api/use-call';
import { LimitInstrument } from '@/components/limit-use/limit-instrument';
import { useLimitUse } from '@/components/limit-use/use-limit-use';
import { FailedPart } from '@/components/list/failed-part';
import { useNamedLimits } from '@/components/named-limits/limits';
import { groupByLimit, NamedMeter } from '@/components/named-limits/named-meter';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { inspectCounters } from '@/lib/contract/counters';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';

const KeyLimitDialog = loadOnDemand(() => import('@/components/keys/key-limit-dialog'));

type Counters = ReturnType<typeof groupByLimit>[number];

/** True if the key or its tier has separate numbers, or the key has used the limit. */
const isRelevant = (counters: Counters) => counters.some(({ used, source }) => used > 0 || source.kind !== 'limit');

/** Shows each named limit of a key as an instrument. Renders nothing while there are no named limits. */
export function KeyNamedLimits({ apiKey }: { apiKey: ApiKeyWithUsage }) {
  const [all, setAll] = useState(false);
  const limits = useNamedLimits();
  const hasLimits = (limits.data?.value.length ?? 0) > 0;
  const inspected = useCall(
    ['counters', 'api_key', apiKey.id],
    inspectCounters,
    { query: { type: 'api_key', identifier: apiKey.id } },
    { enabled: hasLimits, refetchInterval: 2_000 },
  );
  if (!hasLimits) return null;
  const groups = groupByLimit(inspected.data?.value.counters ?? []);
  const shown = all ? groups : groups.filter(isRelevant);
  const hidden = groups.length - shown.length;
  return (
    <section aria-labelledby="key-named-limits" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="key-named-limits" className="text-base font-semibold">
          Named limits
        </h2>
        {hidden > 0 ? (
          <Button variant="outline" size="sm" onClick={() => setAll(true)}>
            Show {hidden} without use
          </Button>
        ) : null}
      </div>
      {inspected.error && !inspected.data ? (
        <FailedPart error={inspected.error} onRetry={() => void inspected.refetch()} />
      ) : null}
      {inspected.data && shown.length === 0 ? (
        <p className="text-sm text-muted-foreground">This key uses no named limit now.</p>
      ) : null}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {shown.map((counters) => (
          <KeyNamedLimit key={counters[0].limit_name} apiKey={apiKey} counters={counters} />
        ))}
      </div>
    </section>
  );
}

function KeyNamedLimit({ apiKey, counters }: { apiKey: ApiKeyWithUsage; counters: Counters }) {
  const open = useDialog();
  const [{ limit_name: name, unit }] = counters;
  const own = Object.hasOwn(apiKey.limits, name) ? apiKey.limits[name] : undefined;
  const use = useLimitUse(apiKey.id);
  return (
    <TitledCard
      title={<span className="font-mono break-all">{name}</span>}
      aside={
        <RoleButton
          needs="owner"
          variant="ghost"
          size="sm"
          className="-mr-2"
          aria-label={`${own === undefined ? 'Set' : 'Edit'} own numbers of ${name}`}
          onClick={() => open((onClose) => <KeyLimitDialog apiKey={apiKey} name={name} onClose={onClose} />)}
        >
          {own === undefined ? 'Set own numbers' : 'Edit own numbers'}
        </RoleButton>
      }
      className="flex flex-col gap-5"
    >
      {counters.map((counter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the windows of a limit have a fixed order
        <NamedMeter key={index} counter={counter} />
      ))}
      <LimitInstrument query={use} place={`limits.${name}`} label={name} subject="limit" unit={unit} isOneCaller />
    </TitledCard>
  );
}
