import { OUTCOME_NAMES, REASON_NAMES, targetOf } from '@/components/decisions/decision-words';
import { Identifier } from '@/components/identifier/identifier';
import { ClientName } from '@/components/keys/client-name';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { timeColumn } from '@/components/list/common-columns';
import type { TableColumn } from '@/components/list/data-table';
import { Badge } from '@/components/ui/badge';
import type { LoggedDecision } from '@/lib/contract/decisions';

const VARIANT = { refused: 'destructive', bypassed: 'success', degraded: 'warning' } as const;

function Subject({ decision }: { decision: LoggedDecision }) {
  const target = targetOf(decision);
  if (decision.api_key_id && (decision.subject === 'quota' || decision.subject === 'client')) {
    return <ClientName id={decision.api_key_id} />;
  }
  if (target)
    return <Identifier target={target} menu={false} className="max-w-56 max-sm:max-w-24 max-sm:[&_button]:hidden" />;
  return <span className="font-mono text-xs">{decision.identifier ?? '—'}</span>;
}

export const DECISION_COLUMNS: readonly TableColumn<LoggedDecision>[] = [
  timeColumn('at', 'When'),
  {
    id: 'subject',
    header: 'Who',
    cell: (decision) => (
      <div className="max-md:py-1">
        <Subject decision={decision} />
        <p className="text-xs text-muted-foreground md:hidden">{CLASS_NAMES[decision.class]}</p>
      </div>
    ),
  },
  {
    id: 'outcome',
    header: 'Decision',
    cell: ({ outcome, reason }) => (
      <Badge variant={VARIANT[outcome]}>{reason ? (REASON_NAMES[reason] ?? reason) : OUTCOME_NAMES[outcome]}</Badge>
    ),
  },
  { id: 'class', header: 'Class', cell: (decision) => CLASS_NAMES[decision.class], className: 'max-md:hidden' },
  {
    id: 'path',
    header: 'Request',
    cell: ({ method, path }) => (
      <span className="block max-w-96 truncate font-mono text-xs" title={path ?? undefined}>
        <span className="text-muted-foreground">{method}</span> {path}
      </span>
    ),
    className: 'max-md:hidden w-full',
  },
];
