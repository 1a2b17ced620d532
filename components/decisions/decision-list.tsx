import { DecisionBadge } from '@/components/decisions/decision-badge';
import { DECISION_FACETS, DECISION_SEARCH } from '@/components/decisions/decision-filters';
import { DecisionMenu } from '@/components/decisions/decision-menu';
import { DecisionWho } from '@/components/decisions/decision-who';
import { FilterValue } from '@/components/decisions/filter-value';
import { timeColumn } from '@/components/list/common-columns';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Button } from '@/components/ui/button';
import { CLASS_NAMES, nameClassOrLimit } from '@/components/vocabulary/class-names';
import { type LoggedDecision, listDecisions } from '@/lib/contract/decisions';
import { formatNumber } from '@/lib/format-number';

const DecisionSheet = loadOnDemand(() => import('@/components/decisions/decision-sheet'));

/** Lists individual decisions. */
export const DECISIONS: ResourceDeclaration<LoggedDecision> = {
  key: 'decisions',
  contract: listDecisions,
  label: 'Decisions',
  noMatch: 'No decision matches',
  noun: 'row',
  exported: true,
  columns: [
    timeColumn('at', 'When', undefined, 'aside'),
    { id: 'who', header: 'Who', cell: (decision) => <DecisionWho decision={decision} />, phone: 'title' },
    { id: 'outcome', header: 'Decision', cell: (decision) => <Outcome decision={decision} /> },
    {
      id: 'class',
      header: 'Class',
      cell: ({ class: name, limit_name: limit }) =>
        limit === null && name === null ? (
          <span className="text-muted-foreground">{nameClassOrLimit(name)}</span>
        ) : (
          <span className="inline-flex flex-wrap gap-x-1.5">
            {name === null ? null : (
              <FilterValue by="class" value={name}>
                {CLASS_NAMES[name]}
              </FilterValue>
            )}
            {limit === null ? null : <FilterValue by="limit_name" value={limit} className="font-mono text-xs" />}
          </span>
        ),
      phone: 'detail',
    },
    {
      id: 'path',
      header: 'Request',
      cell: (decision) => <RequestLine decision={decision} />,
      className: 'max-md:hidden w-full',
      phone: 'detail',
    },
  ],
  rowId: ({ id }) => id,
  search: DECISION_SEARCH,
  facets: DECISION_FACETS,
  RowActions,
  useOpen,
};

function useOpen() {
  const open = useDialog();
  return (decision: LoggedDecision) => open((onClose) => <DecisionSheet decision={decision} onClose={onClose} />);
}

function Outcome({ decision }: { decision: LoggedDecision }) {
  const { count } = decision;
  return (
    <span className="inline-flex items-center gap-1.5">
      <DecisionBadge decision={decision} />
      {count > 1 ? (
        <span
          className="text-xs text-muted-foreground tabular-nums"
          title={`${formatNumber(count)} decisions of one second`}
        >
          × {formatNumber(count)}
        </span>
      ) : null}
    </span>
  );
}

function RequestLine({ decision: { method, path } }: { decision: LoggedDecision }) {
  return (
    <span className="flex max-w-96 gap-1.5 font-mono text-xs max-sm:max-w-none">
      {method === null ? null : <FilterValue by="method" value={method} className="text-muted-foreground" />}
      {path === null ? null : <FilterValue by="path" value={path} className="truncate max-sm:whitespace-normal" />}
    </span>
  );
}

function RowActions({ row }: { row: LoggedDecision }) {
  const open = useOpen();
  return (
    <span className="inline-flex items-center">
      <Button variant="ghost" size="sm" onClick={() => open(row)} aria-label={`Details of decision ${row.id}`}>
        Details
      </Button>
      <DecisionMenu decision={row} />
    </span>
  );
}
