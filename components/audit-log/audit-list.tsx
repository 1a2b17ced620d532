'use client';

import { FileClock } from 'lucide-react';
import dynamic from 'next/dynamic';
import { type ReactNode, useMemo, useState } from 'react';
import { auditColumns } from '@/components/audit-log/audit-columns';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import type { ListState } from '@/components/list/list-state';
import { LoadMore } from '@/components/list/load-more';
import { useCursorList } from '@/components/list/use-cursor-list';
import { type AuditRecord, AuditRecordSchema } from '@/lib/contract/audit-log';

const AuditRecordSheet = dynamic(
  () => import('@/components/audit-log/audit-record-sheet').then((file) => file.AuditRecordSheet),
  { ssr: false },
);

const SCHEMA = AuditRecordSchema.array();
const FIXED: Pick<ListState<string>, 'sort' | 'page' | 'size' | 'setSort' | 'setPage' | 'setSize'> = {
  sort: { id: '', desc: false },
  page: 0,
  size: 25,
  setSort: () => undefined,
  setPage: () => undefined,
  setSize: () => undefined,
};

/** Changes that match `query`, newest first, each to be opened. */
export function AuditList({ query, empty }: { query: Record<string, string | undefined>; empty?: ReactNode }) {
  const [open, setOpen] = useState<AuditRecord | null>(null);
  const list = useCursorList({ key: ['audit'], path: '/v1/admin/audit', query, schema: SCHEMA });
  const columns = useMemo(() => auditColumns(setOpen), []);
  return (
    <>
      <DataTable
        label="Changes"
        columns={columns}
        rows={list.rows}
        rowId={(row) => String(row.seq)}
        state={FIXED}
        error={list.error}
        onRetry={list.refetch}
        footer={
          <LoadMore
            shown={list.rows?.length ?? 0}
            hasMore={list.hasMore}
            pending={list.isLoadingMore}
            onMore={list.loadMore}
          />
        }
        empty={empty ?? <EmptyState icon={FileClock} title="Nothing was changed yet" />}
      />
      {open ? <AuditRecordSheet record={open} onClose={() => setOpen(null)} /> : null}
    </>
  );
}
