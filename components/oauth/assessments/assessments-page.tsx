'use client';

import { Radar } from 'lucide-react';
import type { Selection } from '@/components/batch/batch-action';
import { removeAction } from '@/components/batch/common-actions';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { textColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import { RowMenu } from '@/components/list/row-menu';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { AssessmentMenuItems } from '@/components/oauth/assessments/assessment-menu';
import { GradeMark } from '@/components/oauth/assessments/grade';
import { useHasLab } from '@/components/shell/member';
import { Badge } from '@/components/ui/badge';
import { Link } from '@/components/ui/link';
import { GRADES } from '@/lib/contract/assessment-events';
import type { StoredAssessment } from '@/lib/contract/assessment-report';
import { listAssessments } from '@/lib/contract/assessments';
import { formatCount } from '@/lib/format-number';
import { HOUR } from '@/lib/units';

/** Periods of the list, in hours. */
const PERIODS = [
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
] as const;

/** Returns the start of a period, in whole hours, so that the query changes once an hour. */
const computePeriodStart = (hours: string) =>
  new Date((Math.floor(Date.now() / HOUR) + 1 - Number(hours)) * HOUR).toISOString();

const SELECTION: Omit<Selection<StoredAssessment>, 'name'> = {
  nouns: ['assessment', 'assessments'],
  id: ({ id }) => id,
  target: ({ id }) => id,
  changes: ['assessments'],
  actions: [
    removeAction({
      description: 'Their findings and their evidence are deleted. Accepted findings of the targets stay accepted.',
      example: 'Only the newest reports are kept',
      afterwards: 'Their reports are deleted for good.',
      buildCall: ({ id }, { reason }) => ({ operation: 'removeAssessment', item: { id, reason } }),
    }),
  ],
};

/** Names a selected assessment with its time, because a target is often assessed under the same name. */
function useAssessmentSelection(list: Selectable<StoredAssessment>) {
  const { zone } = useTimeZone();
  const name = ({ name: own, started_at: at }: StoredAssessment) =>
    `${own}, ${formatAbsoluteTime(at, zone, { seconds: true })}`;
  return useSelection({ ...SELECTION, name }, list);
}

const LIST: ResourceDeclaration<StoredAssessment> = {
  title: 'Assessments',
  description: 'Authorization servers, judged control by control from their real responses.',
  add: { label: 'New assessment', href: '/oauth/assessments/new' },
  key: 'assessments',
  contract: listAssessments,
  label: 'Assessments',
  noMatch: 'No assessment matches',
  empty: {
    icon: Radar,
    title: 'No assessment yet',
    text: 'The issuer of a server is enough for a first result. The built-in lab is a target too.',
  },
  search: { label: 'Name or target' },
  facets: [
    {
      name: 'kind',
      label: 'Kind',
      options: [
        { value: 'server', label: 'Servers' },
        { value: 'lab', label: 'Built-in lab' },
      ],
    },
    { name: 'grade', label: 'Grade', options: GRADES.map((value) => ({ value, label: value })) },
    { name: 'period', label: 'Time', options: PERIODS, query: (hours) => ({ from: computePeriodStart(hours) }) },
  ],
  sortings: ['name', 'started_at'],
  refetchInterval: 15_000,
  columns: [
    {
      id: 'grade',
      header: 'Grade',
      cell: ({ summary: { grade } }) => <GradeMark grade={grade} />,
      className: 'w-0',
      phone: 'aside',
    },
    {
      id: 'name',
      header: 'Name and target',
      cell: (assessment) => <NameCell assessment={assessment} />,
      className: 'w-full max-w-0',
      phone: 'title',
    },
    { id: 'findings', header: 'Findings', cell: FindingsCell, className: 'max-md:hidden' },
    timeColumn('started_at', 'Started'),
    textColumn('started_by', 'By', 'block max-w-40 truncate text-muted-foreground', 'max-lg:hidden', 'hidden'),
  ],
  rowId: ({ id }) => id,
  useSelection: useAssessmentSelection,
  RowActions: ({ row }) => (
    <RowMenu name={row.name}>
      <AssessmentMenuItems assessment={row} />
    </RowMenu>
  ),
};

function NameCell({ assessment }: { assessment: StoredAssessment }) {
  const { id, name, target, kind, state, summary } = assessment;
  return (
    <div className="min-w-0 py-1">
      <p className="flex min-w-0 items-center gap-2">
        <Link
          href={`/oauth/assessments/${id}`}
          className="truncate rounded-xs font-medium hover:underline"
          title={name}
        >
          {name}
        </Link>
        {state === 'finished' ? null : <Badge variant={state === 'running' ? 'primary' : 'outline'}>{state}</Badge>}
      </p>
      <p className="truncate text-xs text-muted-foreground" title={target}>
        {kind === 'lab' ? 'Built-in lab' : <span className="font-mono">{target}</span>}
      </p>
      <p className="text-xs text-muted-foreground tabular-nums max-sm:hidden md:hidden">
        {summary.failed} failed, {summary.inconclusive} undecided
      </p>
    </div>
  );
}

function FindingsCell({ summary: { failed, inconclusive, passed } }: StoredAssessment) {
  return (
    <span className="flex gap-1.5 tabular-nums">
      <Badge variant={failed > 0 ? 'destructive' : 'outline'}>{failed} failed</Badge>
      <Badge variant={inconclusive > 0 ? 'warning' : 'outline'}>{inconclusive} undecided</Badge>
      <Badge variant={passed > 0 ? 'success' : 'outline'} title={formatCount(passed, 'control')}>
        {passed} passed
      </Badge>
    </span>
  );
}

const WITHOUT_LAB: typeof LIST = {
  ...LIST,
  empty: { icon: Radar, title: 'No assessment yet', text: 'The issuer of a server is enough for a first result.' },
};

/** Lists every stored assessment, with a button for a new one. */
export function AssessmentsPage() {
  return <ResourceList declaration={useHasLab() ? LIST : WITHOUT_LAB} />;
}
