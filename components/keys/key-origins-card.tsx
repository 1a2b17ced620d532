import { useState } from 'react';
import { useCall } from '@/components/api/use-call';
import { Identifier } from '@/components/identifier/identifier';
import { QueryPart } from '@/components/list/query-part';
import { TitledCard } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import { type KeyOrigin, readKeyOrigins } from '@/lib/contract/key-statistics';
import { formatCount, formatNumber } from '@/lib/format-number';

const SHOWN = 6;

type Kind = 'addresses' | 'paths';

/** Shows where a key was used from in the last day, and for which classes. */
export function KeyOrigins({ id }: { id: string }) {
  const [kind, setKind] = useState<Kind>('addresses');
  const [all, setAll] = useState(false);
  const origins = useCall(['key-origins', id], readKeyOrigins, { params: { id } }, { refetchInterval: 15_000 });
  const choice = (
    <Segmented
      label="Used from or for"
      value={kind}
      onChange={setKind}
      options={[
        { value: 'addresses', label: 'Addresses' },
        { value: 'paths', label: 'Paths' },
      ]}
    />
  );
  return (
    <TitledCard title="Used from" aside={choice} className="flex flex-col gap-3">
      <QueryPart query={origins}>
        {({ value }) => {
          const list = value[kind];
          const others = kind === 'addresses' ? value.other_addresses : value.other_paths;
          const rest = others.allowed + others.refused;
          if (list.length === 0) {
            return (
              <p className="py-5 text-center text-sm text-muted-foreground">No {kind} recorded in the last 24 hours.</p>
            );
          }
          const shown = all ? list : list.slice(0, SHOWN);
          return (
            <>
              <Origins kind={kind} origins={shown} />
              <p className="text-xs text-muted-foreground">
                {list.length > shown.length ? (
                  <button
                    type="button"
                    className="mr-1 rounded-xs text-primary hover:underline"
                    onClick={() => setAll(true)}
                  >
                    Show {list.length - shown.length} more.
                  </button>
                ) : null}
                All requests of the last 24 hours, allowed or refused.
                {kind === 'paths' ? ' Paths are cut after two segments.' : null}
                {rest > 0 ? ` ${formatCount(rest, 'request')} came from others, which are not listed.` : null}
              </p>
            </>
          );
        }}
      </QueryPart>
    </TitledCard>
  );
}

function Origins({ kind, origins }: { kind: Kind; origins: readonly KeyOrigin[] }) {
  const most = Math.max(1, ...origins.map(({ allowed, refused }) => allowed + refused));
  return (
    <ul className="flex flex-col gap-2">
      {origins.map(({ origin, allowed, refused }) => (
        <li key={origin} className="flex flex-col gap-1">
          <div className="flex min-h-6 items-center justify-between gap-3 text-sm">
            {kind === 'addresses' ? (
              <Identifier target={{ type: 'ip', identifier: origin }} />
            ) : (
              <span className="min-w-0 font-mono text-xs wrap-anywhere">{origin}</span>
            )}
            <span className="shrink-0 text-xs tabular-nums">
              {formatNumber(allowed)}
              {refused > 0 ? <span className="text-destructive-text"> + {formatNumber(refused)} refused</span> : null}
            </span>
          </div>
          <div
            aria-hidden
            className="h-1 rounded-full bg-primary/60"
            style={{ width: `${((allowed + refused) / most) * 100}%` }}
          />
        </li>
      ))}
    </ul>
  );
}
