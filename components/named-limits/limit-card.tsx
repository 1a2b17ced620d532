import { FlaskConical, ScanSearch, SlidersHorizontal } from 'lucide-react';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { LimitInstrument } from '@/components/limit-use/limit-instrument';
import { useLimitUse } from '@/components/limit-use/use-limit-use';
import { HistoryMenuItem } from '@/components/links/history-link';
import { RowMenu } from '@/components/list/row-menu';
import { LIMIT_ACTIONS } from '@/components/named-limits/limit-actions';
import { describeLimit, describeNumbersInline } from '@/components/named-limits/limit-sentence';
import { ActionItems } from '@/components/shell/action';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';
import { DropdownMenuItem } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { QuotaTierSchema } from '@/lib/contract/fields/enumerations';
import type { NamedLimit } from '@/lib/contract/named-limits';
import { formatCount } from '@/lib/format-number';

const LINK = 'rounded-xs underline underline-offset-2 hover:no-underline';

/** Shows a named limit: what it means, for which tiers it differs, and what names it. */
export function LimitCard({ limit }: { limit: NamedLimit }) {
  const { name, description, unit, tiers, on_store_failure, lease, managed } = limit;
  const use = useLimitUse();
  const own = QuotaTierSchema.options.flatMap((tier) => {
    const windows = tiers[tier];
    return windows === undefined ? [] : [{ tier, words: describeNumbersInline({ windows, unit }) }];
  });
  const title = (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      <span className="font-mono break-all">{name}</span>
      <Badge>{unit}</Badge>
      {managed ? <Badge variant="outline">managed</Badge> : null}
    </span>
  );
  return (
    <TitledCard title={title} aside={<LimitMenu limit={limit} />} className="flex flex-col gap-2">
      {description === '' ? null : <p className="text-sm break-words text-muted-foreground">{description}</p>}
      <p className="text-sm tabular-nums">{describeLimit(limit)}</p>
      <LimitInstrument query={use} place={`limits.${name}`} label={name} subject="limit" unit={unit} />
      {own.length === 0 ? null : (
        <ul className="flex flex-col gap-0.5 text-sm text-muted-foreground tabular-nums">
          {own.map(({ tier, words }) => (
            <li key={tier}>
              {TIER_NAMES[tier]} tier: {words}.
            </li>
          ))}
        </ul>
      )}
      <p className="text-xs text-muted-foreground">
        <LimitReferences limit={limit} />{' '}
        {on_store_failure === 'closed'
          ? 'Answers 503 while the counter store is down.'
          : 'Each process allows half the limit while the counter store is down.'}
        {lease === null ? null : ` An instance may hold ${formatCount(lease, 'unit')}.`}
      </p>
    </TitledCard>
  );
}

/** Says what names a limit, with links. */
function LimitReferences({ limit: { name, used_by: used } }: { limit: NamedLimit }) {
  const { route_rules: rules, api_keys: keys, overrides } = used;
  if (rules + keys + overrides === 0) return 'Used by checks only.';
  return (
    <>
      {rules === 0 ? null : (
        <>
          <Link href="/limits?tab=routes" className={LINK}>
            {formatCount(rules, 'route rule')}
          </Link>{' '}
          {rules === 1 ? 'names' : 'name'} it.
        </>
      )}
      {keys === 0
        ? null
        : ` ${formatCount(keys, 'API key')} ${keys === 1 ? 'has' : 'have'} numbers of ${keys === 1 ? 'its' : 'their'} own.`}
      {overrides === 0 ? null : (
        <>
          {' '}
          <Link href={`/limits/overrides?${new URLSearchParams({ limit_name: name })}`} className={LINK}>
            {formatCount(overrides, 'subject')}
          </Link>{' '}
          {overrides === 1 ? 'has an override.' : 'have overrides.'}
        </>
      )}
    </>
  );
}

function LimitMenu({ limit }: { limit: NamedLimit }) {
  const { overrideSubject, tryLimit } = useSubjectActions();
  return (
    <RowMenu name={limit.name}>
      <DropdownMenuItem asChild>
        <Link href="/limits/inspect?type=subject">
          <ScanSearch aria-hidden /> Inspect a subject
        </Link>
      </DropdownMenuItem>
      <HistoryMenuItem target={limit.name} />
      <RoleMenuItem
        icon={SlidersHorizontal}
        label="Override for a subject…"
        needs="operator"
        onSelect={() => overrideSubject({ limit_name: limit.name })}
      />
      <RoleMenuItem
        icon={FlaskConical}
        label="Try as candidate…"
        needs="owner"
        onSelect={() => tryLimit(`limits.${limit.name}`)}
      />
      <ActionItems actions={LIMIT_ACTIONS} row={limit} />
    </RowMenu>
  );
}
