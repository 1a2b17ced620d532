'use client';

import { FileClock } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { RelativeTime } from '@/components/format/relative-time';
import { reasonColumn } from '@/components/list/common-columns';
import type { Column } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { ExportMenu } from '@/components/list/export-menu';
import { ResourceList } from '@/components/list/resource-list';
import { type ListDefinition, useResourceList } from '@/components/list/use-resource-list';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { type AuditRecord, listAudit } from '@/lib/contract/audit-log';

const AuditRecordSheet = dynamic(
  () => import('@/components/audit-log/audit-record-sheet').then((file) => file.AuditRecordSheet),
  { ssr: false },
);

function columns(open: (record: AuditRecord) => void): Column<AuditRecord>[] {
  return [
    {
      id: 'at',
      header: 'When',
      cell: ({ at }) => <RelativeTime at={at} className="text-muted-foreground" />,
    },
    {
      id: 'actor_name',
      header: 'Who',
      cell: ({ actor_name }) => <span className="block max-w-48 truncate max-sm:max-w-24">{actor_name}</span>,
    },
    {
      id: 'action',
      header: 'Action',
      cell: (record) => (
        <div className="max-sm:py-1">
          <button type="button" className="rounded-sm hover:opacity-80" onClick={() => open(record)}>
            <Badge className="font-mono">{record.action}</Badge>
          </button>
          <p className="max-w-40 truncate font-mono text-xs text-muted-foreground md:hidden">{record.target}</p>
        </div>
      ),
    },
    {
      id: 'target',
      header: 'Target',
      cell: ({ target }) => (
        <span className="block max-w-56 truncate font-mono text-xs" title={target}>
          {target}
        </span>
      ),
      className: 'max-md:hidden',
    },
    reasonColumn('max-lg:hidden text-muted-foreground'),
    {
      id: 'actions',
      header: <span className="sr-only">Details</span>,
      cell: (record) => (
        <Button variant="ghost" size="sm" onClick={() => open(record)} aria-label={`Details of change ${record.seq}`}>
          Details
        </Button>
      ),
      className: 'w-0 text-right max-sm:hidden',
    },
  ];
}

/** Changes, newest first, each to be opened. `query` narrows them beyond the filters of the list. */
export function AuditList({
  definition,
  query,
}: {
  definition: ListDefinition<AuditRecord>;
  query?: Readonly<Record<string, string>>;
}) {
  const list = useResourceList(definition, { query });
  const [opened, open] = useState<AuditRecord | null>(null);
  return (
    <>
      <ResourceList
        list={list}
        columns={columns(open)}
        rowId={({ seq }) => seq}
        noMatch="No change matches"
        empty={<EmptyState icon={FileClock} title="Nothing was changed yet" />}
      >
        <ExportMenu href={list.download} />
      </ResourceList>
      {opened ? <AuditRecordSheet record={opened} onClose={() => open(null)} /> : null}
    </>
  );
}

const CHANGES: ListDefinition<AuditRecord> = { key: 'audit', contract: listAudit, label: 'Changes' };

/** Changes of one resource. */
export function ChangesOf({ type, target }: { type: string; target: string }) {
  return <AuditList definition={CHANGES} query={{ target_type: type, target }} />;
}
