'use client';

import { Activity, X } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { withQuery } from '@/components/api-client';
import { formatStep } from '@/components/chart/time-axis';
import { decisionColumns } from '@/components/decisions/decision-columns';
import { DecisionHistogram } from '@/components/decisions/decision-histogram';
import { OUTCOME_NAMES, REASON_NAMES } from '@/components/decisions/decision-words';
import { LiveSwitch } from '@/components/decisions/live-switch';
import { searchQuery } from '@/components/decisions/search-query';
import { type DecisionTime, RANGES, useDecisionTime } from '@/components/decisions/use-decision-filters';
import { useLiveDecisions } from '@/components/decisions/use-live-decisions';
import { CLASS_NAMES } from '@/components/limits/class-names';
import { DataTable } from '@/components/list/data-table';
import { EmptyState } from '@/components/list/empty-state';
import { DownloadMenu } from '@/components/list/export-menu';
import { FilterBar } from '@/components/list/filter-bar';
import { useListState } from '@/components/list/list-state';
import { LoadMore } from '@/components/list/load-more';
import { useCursorList } from '@/components/list/use-cursor-list';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';
import { DecisionSchema } from '@/lib/contract/decisions';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const LIST = { sort: '', facets: ['class', 'outcome', 'reason'] } as const;
const SCHEMA = DecisionSchema.array();
const options = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));
const FACETS = [
  {
    name: 'class',
    label: 'Class',
    single: true,
    options: ENDPOINT_CLASSES.map((value) => ({ value, label: CLASS_NAMES[value] })),
  },
  { name: 'outcome', label: 'Outcome', single: true, options: options(OUTCOME_NAMES) },
  { name: 'reason', label: 'Reason', single: true, options: options(REASON_NAMES) },
] as const;

/** The time that is listed: the bar that was picked, else the range. */
function withinOf({ picked, since }: DecisionTime, live: boolean): Record<string, string> {
  if (picked && !live) return { from: picked.from.toISOString(), to: picked.to.toISOString() };
  return since === null ? {} : { from: new Date(since).toISOString() };
}

/** The log of refusals and bypasses. */
export function DecisionsPage() {
  const state = useListState(LIST);
  const time = useDecisionTime();
  const [live, setLive] = useQueryState('live', parseAsBoolean.withDefault(false));
  const filters = {
    class: state.facets.class[0],
    outcome: state.facets.outcome[0],
    reason: state.facets.reason[0],
    ...searchQuery(state.search),
  };
  const query = { ...filters, ...withinOf(time, live) };
  const list = useCursorList({
    key: ['decisions'],
    path: '/v1/admin/decisions',
    query,
    schema: SCHEMA,
    enabled: time.since !== null,
  });
  const stream = useLiveDecisions(live, filters);
  const rows = useMemo(() => {
    if (!list.rows) return undefined;
    const known = new Set(list.rows.map((row) => row.id));
    return [...stream.rows.filter((row) => !known.has(row.id)), ...list.rows];
  }, [list.rows, stream.rows]);
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
          {time.picked ? (
            <Button variant="ghost" onClick={() => time.pick(null)}>
              <X aria-hidden />{' '}
              {formatStep(time.picked.from.getTime(), time.picked.to.getTime() - time.picked.from.getTime())}
            </Button>
          ) : null}
        </div>
        <DecisionHistogram span={time.span} step={time.step} onPick={time.pick} />
      </div>
      <FilterBar state={state} searchLabel="Address, user or /path" facets={FACETS}>
        <DownloadMenu href={(format) => withQuery('/v1/admin/decisions', { ...query, format })} />
      </FilterBar>
      <DataTable
        label="Decisions"
        columns={decisionColumns}
        rows={rows}
        rowId={(row) => String(row.id)}
        state={state}
        error={list.error}
        onRetry={list.refetch}
        footer={
          <LoadMore
            shown={rows?.length ?? 0}
            hasMore={list.hasMore}
            pending={list.isLoadingMore}
            onMore={list.loadMore}
          />
        }
        empty={
          <EmptyState
            icon={Activity}
            title={state.filtered || time.picked ? 'Nothing matches' : `Nothing was refused in the last ${time.range}`}
            action={
              state.filtered ? (
                <Button variant="outline" onClick={state.clear}>
                  Clear filters
                </Button>
              ) : null
            }
          >
            Allowed requests are counted on the overview and not listed here.
          </EmptyState>
        }
      />
    </>
  );
}
