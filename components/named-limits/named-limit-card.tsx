import { RotateCcw, SlidersHorizontal } from 'lucide-react';
import { type NamedCounters, NamedMeter } from '@/components/named-limits/named-meter';
import { RoleButton } from '@/components/shell/role-button';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';

interface NamedLimitCardProps {
  counters: NamedCounters;
  /** True if an allowlist entry bypasses the limits. */
  bypassed: boolean;
  onOverride: (limit: string) => void;
  onReset: (limit: string) => void;
}

/** Shows one named limit of a subject: the usage of each window and of its places. */
export function NamedLimitCard({ counters, bypassed, onOverride, onReset }: NamedLimitCardProps) {
  const [{ limit_name: name }] = counters;
  const refuses = !bypassed && counters.some(({ remaining }) => remaining === 0);
  const title = (
    <span className="flex min-w-0 items-center gap-2">
      <span className="min-w-0 font-mono break-all">{name}</span>
      {refuses ? <Badge variant="destructive">refused</Badge> : null}
    </span>
  );
  return (
    <TitledCard
      title={title}
      aside={
        <span className="-mr-2 flex">
          <RoleButton
            needs="operator"
            variant="ghost"
            size="sm"
            onClick={() => onOverride(name)}
            aria-label={`Override ${name}`}
          >
            <SlidersHorizontal aria-hidden className="size-3.5" /> Override
          </RoleButton>
          <RoleButton
            needs="operator"
            variant="ghost"
            size="sm"
            onClick={() => onReset(name)}
            aria-label={`Reset ${name}`}
          >
            <RotateCcw aria-hidden className="size-3.5" /> Reset
          </RoleButton>
        </span>
      }
      className="flex flex-col gap-5"
    >
      {counters.map((counter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the windows of a limit have a fixed order
        <NamedMeter key={index} counter={counter} />
      ))}
    </TitledCard>
  );
}
