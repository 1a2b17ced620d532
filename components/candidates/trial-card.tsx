import type { ReactNode } from 'react';
import { RelativeTime } from '@/components/format/relative-time';
import { ClientName } from '@/components/identifier/client-name';
import { Identifier } from '@/components/identifier/identifier';
import type { OverriddenTarget } from '@/components/links/target';
import { TitledCard } from '@/components/ui/card';
import type { CandidateLimit } from '@/lib/contract/candidates';
import { formatNumber } from '@/lib/format-number';

const SHOWN_IDENTIFIERS = 5;

interface TrialCardProps {
  title: string;
  candidate: Pick<CandidateLimit, 'created_at' | 'ends_at' | 'reason' | 'top'>;
  /** Describes how the candidate differs from the live setting. */
  differs: ReactNode;
  outcome: string;
  /** Returns the target of an identifier. Null if it has no page. */
  findTarget: (identifier: string) => OverriddenTarget | null;
  /** Buttons of the card. */
  children: ReactNode;
}

/** Card for one candidate: its differences, its would-be refusals by caller, and its buttons. */
export function TrialCard({ title, candidate, differs, outcome, findTarget, children }: TrialCardProps) {
  const { reason, created_at: since, ends_at: end, top } = candidate;
  return (
    <TitledCard
      title={title}
      aside={
        <span className="text-xs text-muted-foreground">
          Counting started <RelativeTime at={since} />
          {end === null ? null : (
            <>
              , ends <RelativeTime at={end} />
            </>
          )}
        </span>
      }
      className="flex flex-col gap-3"
    >
      {differs}
      <p className="text-sm break-words tabular-nums" aria-live="polite">
        {outcome}
      </p>
      {top.length === 0 ? null : (
        <ul className="flex flex-col gap-1.5 text-sm">
          {top
            .slice(0, SHOWN_IDENTIFIERS)
            .map(({ identifier, api_key_name: name, would_refuse: refused, would_allow: allowed }) => {
              const target = findTarget(identifier);
              return (
                <li key={identifier} className="flex min-w-0 items-center gap-3">
                  {target === null ? (
                    <ClientName id={identifier} name={name} />
                  ) : (
                    <Identifier target={target} className="max-w-60" />
                  )}
                  <span className="ml-auto whitespace-nowrap text-muted-foreground tabular-nums">
                    {refused > 0
                      ? `would refuse ${formatNumber(refused)}`
                      : `would allow ${formatNumber(allowed)} more`}
                  </span>
                </li>
              );
            })}
        </ul>
      )}
      <p className="text-xs break-words text-muted-foreground">{reason}</p>
      <div className="flex flex-wrap gap-2">{children}</div>
    </TitledCard>
  );
}
