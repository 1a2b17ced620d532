'use client';

import { OUTCOME_NAMES, REASON_NAMES, targetOf } from '@/components/decisions/decision-words';
import { RelativeTime } from '@/components/format/relative-time';
import { Identifier, IdentifierMenuItems } from '@/components/identifier/identifier';
import { ClientName } from '@/components/keys/client-name';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { RowMenu } from '@/components/list/common-columns';
import { listColumns } from '@/components/list/table-features';
import { Badge } from '@/components/ui/badge';
import type { LoggedDecision } from '@/lib/contract/decisions';

const column = listColumns<LoggedDecision>();
const VARIANT = { refused: 'destructive', bypassed: 'success', degraded: 'warning' } as const;

function Subject({ decision }: { decision: LoggedDecision }) {
  const target = targetOf(decision);
  if (decision.api_key_id && (decision.subject === 'quota' || decision.subject === 'client')) {
    return <ClientName id={decision.api_key_id} />;
  }
  if (target) return <Identifier target={target} menu={false} className="max-w-56 max-sm:max-w-28" />;
  return <span className="font-mono text-xs">{decision.identifier ?? '—'}</span>;
}

/** The columns of the decisions log. */
export const decisionColumns = column.columns([
  column.accessor('at', {
    header: 'When',
    cell: ({ row }) => <RelativeTime at={row.original.at} className="text-muted-foreground" />,
  }),
  column.display({ id: 'subject', header: 'Who', cell: ({ row }) => <Subject decision={row.original} /> }),
  column.display({
    id: 'outcome',
    header: 'What',
    cell: ({ row: { original } }) => (
      <Badge variant={VARIANT[original.outcome]}>
        {original.reason ? (REASON_NAMES[original.reason] ?? original.reason) : OUTCOME_NAMES[original.outcome]}
      </Badge>
    ),
  }),
  column.accessor('class', {
    header: 'Class',
    cell: ({ row }) => CLASS_NAMES[row.original.class],
    meta: { className: 'max-md:hidden' },
  }),
  column.display({
    id: 'path',
    header: 'Request',
    cell: ({ row: { original } }) => (
      <span className="block max-w-96 truncate font-mono text-xs" title={original.path ?? undefined}>
        <span className="text-muted-foreground">{original.method}</span> {original.path}
      </span>
    ),
    meta: { className: 'max-md:hidden w-full' },
  }),
  column.display({
    id: 'actions',
    header: () => <span className="sr-only">Actions</span>,
    cell: ({ row: { original } }) => {
      const target = targetOf(original);
      return target ? (
        <RowMenu label={`Actions for ${target.identifier}`}>
          <IdentifierMenuItems target={target} />
        </RowMenu>
      ) : null;
    },
    meta: { className: 'w-0 text-right' },
  }),
]);
