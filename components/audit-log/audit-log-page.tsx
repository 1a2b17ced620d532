'use client';

import { ArrowLeft } from 'lucide-react';
import { useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { useCall } from '@/components/api/use-call';
import { ACTION_GROUPS } from '@/components/audit-log/action-groups';
import { CHANGES } from '@/components/audit-log/audit-list';
import { ChainBadge } from '@/components/audit-log/chain-badge';
import { usePeriod } from '@/components/audit-log/period';
import { PeriodFilter } from '@/components/audit-log/period-filter';
import { nameAuditTarget } from '@/components/audit-log/sentences';
import { findTargetHref } from '@/components/audit-log/target-href';
import { ListView } from '@/components/list/resource-list';
import { useResourceList } from '@/components/list/use-resource-list';
import { PageHeader } from '@/components/shell/page-header';
import { PageTitle } from '@/components/shell/page-title';
import { Link } from '@/components/ui/link';
import { type AuditRecord, listAudit, listAuditActors } from '@/lib/contract/audit-log';

/** Declares the audit log with its filters. The actor filter offers the people that the log names. */
function buildDeclaration(people: readonly { value: string; label: string }[], target: string | null): typeof CHANGES {
  return {
    ...CHANGES,
    search: { label: 'Person, target or reason' },
    facets: [
      { name: 'actor', label: 'Person', options: people, open: true },
      { name: 'action', label: 'Change', options: ACTION_GROUPS, open: true },
      { name: 'target', label: 'Target', show: (id) => target ?? id },
    ],
    exported: true,
  };
}

export function AuditLogPage() {
  const { data } = useCall(['audit', 'actors'], listAuditActors, {}, { staleTime: 60_000 });
  const people = data?.value;
  const [target] = useQueryState('target');
  const newest = useNewestChange(target);
  const name = newest ? nameNow(newest) : null;
  const declaration = useMemo(
    () =>
      buildDeclaration(
        (people ?? []).map(({ actor, actor_name: label }) => ({ value: actor, label })),
        name,
      ),
    [people, name],
  );
  const period = usePeriod();
  const list = useResourceList(declaration, { query: period.query ?? {}, enabled: period.query !== null });
  return (
    <>
      {target === null ? (
        <PageHeader
          title="Audit log"
          description="Every change: who made it, what it changed, and why."
          actions={<ChainBadge />}
        />
      ) : (
        <TargetHeader name={name ?? target} href={newest ? findTargetHref(newest) : null} />
      )}
      <PeriodFilter period={period} />
      <ListView
        list={{
          ...list,
          empty: period.period === 'all' ? list.empty : { ...list.empty, title: 'No changes in this period' },
        }}
      />
    </>
  );
}

/** Reads the newest change of a target, which supplies its name. */
function useNewestChange(target: string | null): AuditRecord | undefined {
  const query = { target: target ?? undefined, limit: '1' };
  const { data } = useCall(['audit', 'target', target], listAudit, { query }, { enabled: target !== null });
  return data?.value[0];
}

/** Header of the page that lists every change to one target. */
function TargetHeader({ name, href }: { name: string; href: string | null }) {
  return (
    <>
      <PageTitle name={`Changes to ${name}`} />
      <Link
        href="/audit"
        className="inline-flex items-center gap-1 self-start rounded-xs text-sm text-muted-foreground hover:text-foreground"
      >
        <ArrowLeft aria-hidden className="size-4" /> Audit log
      </Link>
      <PageHeader
        title={
          <>
            Changes to <bdi className="break-words">{name}</bdi>
          </>
        }
        description={
          href ? (
            <>
              Everything that was done to{' '}
              <Link href={href} className="text-primary underline underline-offset-4">
                {name}
              </Link>
              .
            </>
          ) : undefined
        }
        actions={<ChainBadge />}
      />
    </>
  );
}

const nameNow = (record: AuditRecord) => record.target_name_now ?? nameAuditTarget(record);
