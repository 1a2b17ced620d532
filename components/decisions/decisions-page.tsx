'use client';

import { Activity, X } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { formatStep } from '@/components/chart/axes';
import { DecisionHistogram } from '@/components/decisions/decision-histogram';
import { DecisionMenu } from '@/components/decisions/decision-menu';
import { OUTCOME_NAMES, REASON_NAMES, searchQuery, targetOf } from '@/components/decisions/decision-words';
import { RANGES } from '@/components/decisions/decisions-href';
import { LiveSwitch, useLiveDecisions } from '@/components/decisions/live-decisions';
import { timeQuery, useDecisionTime } from '@/components/decisions/use-decision-time';
import { useTimeZone } from '@/components/format/time-zone';
import { Identifier } from '@/components/identifier/identifier';
import { ClientName } from '@/components/keys/client-name';
import { CLASS_NAMES, CLASS_OPTIONS } from '@/components/limits/class-names';
import { timeColumn } from '@/components/list/common-columns';
import { ListView } from '@/components/list/resource-list';
import { type ResourceDeclaration, useResourceList } from '@/components/list/use-resource-list';
import { PageHeader } from '@/components/shell/page-header';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';
import { type LoggedDecision, listDecisions } from '@/lib/contract/decisions';

const VARIANT = { refused: 'destructive', bypassed: 'success', degraded: 'warning' } as const;

function Subject({ decision }: { decision: LoggedDecision }) {
  const target = targetOf(decision);
  if (decision.api_key_id && (decision.subject === 'quota' || decision.subject === 'client')) {
    return <ClientName id={decision.api_key_id} />;
  }
  if (target) return <Identifier target={target} menu={false} className="max-w-56 max-sm:max-w-full" />;
  return <span className="font-mono text-xs">{decision.identifier ?? '—'}</span>;
}

const options = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

const LIST: ResourceDeclaration<LoggedDecision> = {
  key: 'decisions',
  contract: listDecisions,
  label: 'Decisions',
  noMatch: 'No decision matches',
  exported: true,
  columns: [
    timeColumn('at', 'When', undefined, 'aside'),
    {
      id: 'subject',
      header: 'Who',
      cell: (decision) => <Subject decision={decision} />,
      phone: 'title',
    },
    {
      id: 'outcome',
      header: 'Decision',
      cell: ({ outcome, reason }) => (
        <Badge variant={VARIANT[outcome]}>{reason ? (REASON_NAMES[reason] ?? reason) : OUTCOME_NAMES[outcome]}</Badge>
      ),
    },
    { id: 'class', header: 'Class', cell: (decision) => CLASS_NAMES[decision.class], phone: 'detail' },
    {
      id: 'path',
      header: 'Request',
      cell: ({ method, path }) => (
        <span
          className="block max-w-96 truncate font-mono text-xs max-sm:max-w-none max-sm:whitespace-normal"
          title={path ?? undefined}
        >
          <span className="text-muted-foreground">{method}</span> {path}
        </span>
      ),
      className: 'max-md:hidden w-full',
      phone: 'detail',
    },
  ],
  rowId: ({ id }) => id,
  search: { label: 'Address, user or /path', query: searchQuery },
  facets: [
    { name: 'class', label: 'Class', options: CLASS_OPTIONS },
    { name: 'outcome', label: 'Outcome', options: options(OUTCOME_NAMES) },
    { name: 'reason', label: 'Reason', options: options(REASON_NAMES) },
    { name: 'ip', label: 'Address', query: (identifier) => ({ type: 'ip', identifier }) },
    { name: 'user_id', label: 'User', query: (identifier) => ({ type: 'user_id', identifier }) },
    {
      name: 'api_key_id',
      label: 'Key',
      query: (id) => ({ api_key: id }),
      show: (id) => <ClientName id={id} />,
    },
    { name: 'path', label: 'Path' },
  ],
  RowActions: ({ row }) => <DecisionMenu decision={row} />,
};

export function DecisionsPage() {
  const time = useDecisionTime();
  const [live, setLive] = useQueryState('live', parseAsBoolean.withDefault(false));
  const list = useResourceList(LIST, { query: timeQuery(time, live), enabled: time.since !== null });
  const stream = useLiveDecisions(live, list.filters);
  const listed = new Set(list.rows?.map(({ id }) => id));
  const { picked } = time;
  const { zone } = useTimeZone();
  return (
    <>
      <PageHeader
        title="Decisions"
        description="Requests that were refused, that bypassed the limits, or that were decided without the store."
        actions={<LiveSwitch on={live} state={stream.state} onChange={(on) => void setLive(on)} />}
      />
      <div className="flex flex-col gap-3 rounded-lg border bg-card p-4">
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label="Time"
            value={time.range}
            onChange={time.setRange}
            options={RANGES.map((value) => ({ value, label: value }))}
          />
          {picked ? (
            <Button variant="ghost" onClick={() => time.pick(null)}>
              <X aria-hidden /> {formatStep(picked.from.getTime(), picked.to.getTime() - picked.from.getTime(), zone)}
            </Button>
          ) : null}
        </div>
        <DecisionHistogram time={time} />
      </div>
      <ListView
        list={{
          ...list,
          empty: {
            icon: Activity,
            title: picked ? 'No refusals or bypasses at this time' : `No refusals in the last ${time.range}`,
            text: 'Allowed requests are counted on the overview and not listed here.',
          },
        }}
        newer={stream.rows.filter(({ id }) => !listed.has(id))}
      />
    </>
  );
}
