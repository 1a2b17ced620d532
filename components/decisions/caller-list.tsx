import { parseAsString, useQueryStates } from 'nuqs';
import { DECISION_FACETS, DECISION_SEARCH } from '@/components/decisions/decision-filters';
import { findCaller } from '@/components/decisions/decision-who';
import { SubjectName } from '@/components/identifier/subject-name';
import { timeColumn } from '@/components/list/common-columns';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { Button } from '@/components/ui/button';
import { nameClassOrLimit } from '@/components/vocabulary/class-names';
import { type Caller, listCallers } from '@/lib/contract/callers';
import { formatNumber } from '@/lib/format-number';

/** Groups decisions by caller. */
export const CALLERS: ResourceDeclaration<Caller> = {
  key: 'decisions',
  contract: listCallers,
  label: 'Callers',
  noMatch: 'No caller matches',
  noun: 'caller',
  exported: true,
  columns: [
    { id: 'who', header: 'Who', cell: (caller) => <CallerName caller={caller} />, phone: 'title' },
    {
      id: 'count',
      header: 'Decisions',
      cell: ({ count }) => <span className="font-medium">{formatNumber(count)}</span>,
      phone: 'aside',
    },
    {
      id: 'classes',
      header: 'Classes',
      cell: formatClasses,
      className: 'w-full text-muted-foreground',
      phone: 'detail',
    },
    timeColumn('first_at', 'First'),
    timeColumn('last_at', 'Last'),
  ],
  rowId: ({ subject, identifier }) => `${subject} ${identifier}`,
  search: DECISION_SEARCH,
  facets: DECISION_FACETS,
  sortings: ['count', 'first_at', 'last_at'],
  sort: '-count',
  refetchInterval: 15_000,
  RowActions,
  useOpen: useShowDecisions,
};

/** Lists the counts by class. Checks of named limits only have no class. */
function formatClasses({ classes, count }: Caller): string {
  const parts = classes.map((part) => ({ name: nameClassOrLimit(part.class), count: part.count }));
  const rest = count - parts.reduce((sum, part) => sum + part.count, 0);
  return [...parts, ...(rest > 0 ? [{ name: 'Named limits', count: rest }] : [])]
    .map((part) => `${part.name} ${formatNumber(part.count)}`)
    .join(', ');
}

function CallerName({ caller: { subject, identifier, api_key_name: name } }: { caller: Caller }) {
  if (subject === 'global') return 'Global throttle';
  if (subject === null || identifier === null) return <span className="text-muted-foreground">Other callers</span>;
  return <SubjectName subject={subject} identifier={identifier} name={name} />;
}

/** True if the row stands for decisions whose caller was not recorded. */
const isUnnamed = ({ subject, identifier }: Pick<Caller, 'subject' | 'identifier'>) =>
  subject === null || (identifier === null && subject !== 'global');

/** Returns a callback that lists the individual decisions of a caller. */
function useShowDecisions() {
  const names = ['ip', 'user_id', 'api_key_id', 'identifier', 'subject', 'by', 'sort'] as const;
  const [, set] = useQueryStates(Object.fromEntries(names.map((name) => [name, parseAsString])), { history: 'push' });
  return ({ subject, identifier }: Caller) => {
    const caller = findCaller({ subject, identifier });
    if (isUnnamed({ subject, identifier })) return;
    // The subject leaves out decisions about the same caller that another limit made.
    const filter = caller ? { [caller.by]: caller.value } : subject === 'global' ? {} : { identifier };
    void set({ by: null, sort: null, subject, ...filter });
  };
}

function RowActions({ row }: { row: Caller }) {
  const show = useShowDecisions();
  if (isUnnamed(row)) return null;
  return (
    <Button
      variant="ghost"
      size="sm"
      onClick={() => show(row)}
      aria-label={`Show each decision of ${row.identifier ?? 'the throttle'}`}
    >
      Show each
    </Button>
  );
}
