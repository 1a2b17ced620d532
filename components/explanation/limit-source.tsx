import type { ReactNode } from 'react';
import { RelativeTime } from '@/components/format/relative-time';
import { Link } from '@/components/ui/link';
import { Shortened } from '@/components/ui/shortened';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { Bypass, LimitSource as Source } from '@/lib/contract/fields/limit-source';
import { formatNumber } from '@/lib/format-number';

function SourceLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className="rounded-xs text-foreground underline underline-offset-2 hover:no-underline">
      {children}
    </Link>
  );
}

function End({ at }: { at: string | null | undefined }) {
  return at ? (
    <>
      , ends <RelativeTime at={at} />
    </>
  ) : null;
}

/**
 * Shows a limit with its source: `60 by override 198.51.100.0/24, “a network that scrapes”`, `30, the limit of public
 * clients`.
 */
export function SourcedLimit({ limit, source, limitName }: { limit: number; source: Source; limitName?: string }) {
  return (
    <>
      {formatNumber(limit)}
      {source.kind === 'policy' || source.kind === 'override' ? ' ' : ', '}
      <LimitSource source={source} limitName={limitName} />
    </>
  );
}

/** Page that lists the named limits. */
const NAMED_LIMITS = '/limits#named-limits';

/** Notes that a state document manages the setting. */
function ManagedMark({ managed }: { managed: true | undefined }) {
  return managed ? ', managed by a state document' : null;
}

/** Names the source of a limit and links to its setting: `by override 198.51.100.0/24, “a network that scrapes”`. */
export function LimitSource({ source, limitName }: { source: Source; limitName?: string }) {
  const { kind, id, identifier, reason, expires_at, managed } = source;
  if (kind === 'policy') {
    return (
      <>
        by the <SourceLink href="/limits">policy</SourceLink>
      </>
    );
  }
  if (kind === 'client') {
    return (
      <>
        the limit of <SourceLink href="/limits">{id} clients</SourceLink>
      </>
    );
  }
  if (kind === 'limit') {
    return (
      <>
        the limit <SourceLink href={NAMED_LIMITS}>{id}</SourceLink>
      </>
    );
  }
  if (kind === 'key') {
    return (
      <>
        the numbers of <SourceLink href={`/keys/${id}`}>this key alone</SourceLink>
        <ManagedMark managed={managed} />
      </>
    );
  }
  if (kind === 'tier') {
    const tier = QuotaTierSchema.safeParse(id);
    return (
      <>
        {limitName === undefined ? 'the quota' : `the limit ${limitName}`} of the tier{' '}
        <SourceLink href={limitName === undefined ? '/limits' : NAMED_LIMITS}>
          {tier.success ? TIER_NAMES[tier.data] : id}
        </SourceLink>
      </>
    );
  }
  return (
    <>
      by override{' '}
      <SourceLink href={`/limits/overrides?${new URLSearchParams({ q: identifier ?? '' })}`}>
        <Shortened text={identifier ?? ''} className="font-mono underline underline-offset-2" />
      </SourceLink>
      {reason ? `, “${reason}”` : null}
      <End at={expires_at} />
      <ManagedMark managed={managed} />
    </>
  );
}

/** Names the allowlist entry that bypasses the limits and links to the list. */
export function BypassSource({ bypass: { identifier, reason, expires_at, managed } }: { bypass: Bypass }) {
  return (
    <>
      by allowlist entry{' '}
      <SourceLink href={`/allowlist?${new URLSearchParams({ q: identifier })}`}>
        <Shortened text={identifier} className="font-mono underline underline-offset-2" />
      </SourceLink>
      , “{reason}”{expires_at === null ? ', with no expiry' : <End at={expires_at} />}
      <ManagedMark managed={managed} />
    </>
  );
}
