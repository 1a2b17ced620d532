'use client';

import { Activity, X } from 'lucide-react';
import { parseAsBoolean, parseAsStringLiteral, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { formatStep } from '@/components/chart/axes';
import { CALLERS } from '@/components/decisions/caller-list';
import { DecisionHistogram } from '@/components/decisions/decision-histogram';
import { DECISIONS } from '@/components/decisions/decision-list';
import { DecisionSampling, DecisionTotal } from '@/components/decisions/decision-total';
import { LiveSwitch, useLiveDecisions } from '@/components/decisions/live-decisions';
import { useDecisionCounts } from '@/components/decisions/use-decision-counts';
import { buildTimeQuery, type DecisionTime, useDecisionTime } from '@/components/decisions/use-decision-time';
import { useTimeZone } from '@/components/format/time-zone';
import { buildDecisionsHref, findSeriesFilter, RANGES } from '@/components/links/decisions-href';
import { ListView } from '@/components/list/resource-list';
import { type ResourceListState, useResourceList } from '@/components/list/use-resource-list';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';

const GROUPS = [
  { value: 'request', label: 'Each request' },
  { value: 'caller', label: 'By caller' },
] as const;

export function DecisionsPage() {
  const time = useDecisionTime();
  const [by, setBy] = useQueryState(
    'by',
    parseAsStringLiteral(['request', 'caller']).withDefault('request').withOptions({ history: 'push' }),
  );
  const group = <Segmented label="Rows" value={by} onChange={(next) => void setBy(next)} options={GROUPS} />;
  return (
    <>
      <PageHeader
        title="Decisions"
        description="Requests that were refused, bypassed the limits, or were decided while the store was down."
      />
      {by === 'request' ? <Requests time={time} group={group} /> : <Callers time={time} group={group} />}
    </>
  );
}

interface TimeCardProps {
  time: DecisionTime;
  list: Pick<ResourceListState<never>, 'filters' | 'facets' | 'text'>;
  live?: boolean;
}

/** Shows the time range and the matching decisions. Clicking a bar of the histogram narrows the list. */
function TimeCard({ time, list, live = false }: TimeCardProps) {
  const { zone } = useTimeZone();
  const [by] = useQueryState('by');
  const { picked, range } = time;
  const { all, listed } = useDecisionCounts(time, list.filters, live);
  const bar = picked && { from: picked.from.getTime(), step: (picked.to.getTime() - picked.from.getTime()) / 1000 };
  const createHref = (key: string) =>
    buildDecisionsHref({
      ...list.facets,
      ...(list.text === '' ? {} : { q: list.text }),
      ...(by === null ? {} : { by }),
      ...(bar ? { bar } : {}),
      ...findSeriesFilter(key),
      range,
    });
  return (
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
        {listed.data ? <DecisionTotal counts={listed.data.value} /> : null}
      </div>
      <DecisionHistogram time={time} counts={all} createHref={createHref} />
      {listed.data ? <DecisionSampling counts={listed.data.value} /> : null}
    </div>
  );
}

interface ViewProps {
  time: DecisionTime;
  /** Switch between the views. */
  group: ReactNode;
}

/** Lists individual decisions and streams new ones if `live` is on. */
function Requests({ time, group }: ViewProps) {
  const [live, setLive] = useQueryState('live', parseAsBoolean.withDefault(false));
  const list = useResourceList(DECISIONS, { query: buildTimeQuery(time, live), enabled: time.span !== null });
  const stream = useLiveDecisions(live, list.filters);
  const listed = new Set(list.rows?.map(({ id }) => id));
  return (
    <>
      <TimeCard time={time} list={list} live={live} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        {group}
        <LiveSwitch on={live} state={stream.state} onChange={(on) => void setLive(on)} />
      </div>
      <ListView
        list={{ ...list, empty: buildEmptyText(time), loadMore: () => loadMore(time, list) }}
        newer={stream.rows.filter(({ id }) => !listed.has(id))}
      />
    </>
  );
}

/** Lists one line per caller, no matter how many decisions each has. */
function Callers({ time, group }: ViewProps) {
  const list = useResourceList(CALLERS, { query: buildTimeQuery(time, false), enabled: time.span !== null });
  return (
    <>
      <TimeCard time={time} list={list} />
      {group}
      <ListView list={{ ...list, empty: buildEmptyText(time), loadMore: () => loadMore(time, list) }} />
    </>
  );
}

/** Loads the next page, and holds the start of the range. */
function loadMore(time: DecisionTime, list: { loadMore: () => void }): undefined {
  time.hold();
  list.loadMore();
}

function buildEmptyText({ picked, range }: DecisionTime) {
  return {
    icon: Activity,
    title: picked ? 'No refusals or bypasses at this time' : `No refusals in the last ${range}`,
    text: 'Allowed requests are only counted, on the overview.',
  };
}
