import { KeyRound } from 'lucide-react';
import { FilterValue } from '@/components/decisions/filter-value';
import { IDENTITY_FILTERS } from '@/components/links/decisions-href';
import { findIdentity } from '@/components/links/help-target';
import { Shortened } from '@/components/ui/shortened';
import type { LoggedDecision } from '@/lib/contract/decisions';

type Who = Pick<LoggedDecision, 'subject' | 'identifier'> &
  Partial<Pick<LoggedDecision, 'api_key_id' | 'api_key_name' | 'ip' | 'user_id'>>;

/** Returns the caller of a decision and the filter that finds its other decisions. Null if no subject was counted. */
export function findCaller(
  decision: Who,
): { by: (typeof IDENTITY_FILTERS)[keyof typeof IDENTITY_FILTERS]; value: string } | null {
  const { subject, identifier, api_key_id: key, user_id: user, ip } = decision;
  const identity = findIdentity(subject, identifier);
  if (identity) return { by: IDENTITY_FILTERS[identity.type], value: identity.identifier };
  if (key) return { by: 'api_key_id', value: key };
  if (user) return { by: 'user_id', value: user };
  return ip ? { by: 'ip', value: ip } : null;
}

/**
 * Names the caller of a decision: a key by its name, others by identifier. A click lists all of the caller's decisions.
 */
export function DecisionWho({ decision, onFilter }: { decision: Who; onFilter?: () => void }) {
  const caller = findCaller(decision);
  if (caller === null) return <span className="text-muted-foreground">no caller</span>;
  const name = caller.by === 'api_key_id' ? (decision.api_key_name ?? null) : null;
  return (
    <FilterValue
      {...caller}
      onFilter={onFilter}
      className="inline-flex max-w-60 items-center gap-1.5 max-sm:max-w-full"
    >
      {name === null ? (
        <Shortened text={caller.value} className="font-mono text-xs" />
      ) : (
        <>
          <KeyRound aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
          <span className="truncate text-sm">{name}</span>
        </>
      )}
    </FilterValue>
  );
}
