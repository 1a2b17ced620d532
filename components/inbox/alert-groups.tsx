import { BellOff, Check, RotateCcw } from 'lucide-react';
import { type AlertGroup, groupAlerts } from '@/components/alerts/group-alerts';
import { type Selection, TAKEN_BACK } from '@/components/batch/batch-action';
import { MarkAll, useMarks } from '@/components/batch/use-selection';
import { AlertRow } from '@/components/inbox/alert-row';
import { acknowledge, reopen } from '@/components/inbox/use-handle-alerts';
import { Skeleton } from '@/components/ui/skeleton';
import type { Alert } from '@/lib/contract/alerts';
import { DAY } from '@/lib/units';

const COMMON = {
  nouns: ['alert', 'alerts'],
  id: ({ object }) => object.id,
  name: ({ object }) => object.name,
  target: ({ object }) => object.id,
  changes: ['alerts'],
} satisfies Omit<Selection<AlertGroup>, 'actions'>;

const UNDOABLE = { needs: 'operator', afterwards: TAKEN_BACK, canUndo: true } as const;

const OPEN: Selection<AlertGroup> = {
  ...COMMON,
  actions: [
    {
      label: 'Acknowledge…',
      icon: Check,
      ...UNDOABLE,
      title: (what) => `Acknowledge ${what}?`,
      description: 'For everybody. Alerts that open later need attention again.',
      submitLabel: 'Acknowledge',
      done: (what) => `${what} acknowledged`,
      each: ({ object }) => acknowledge(object.id, null),
    },
    {
      label: 'Snooze for a day…',
      icon: BellOff,
      ...UNDOABLE,
      title: (what) => `Snooze ${what} for a day?`,
      description: 'For everybody. They need attention again after a day, if they are still open.',
      submitLabel: 'Snooze',
      done: (what) => `${what} snoozed`,
      each: ({ object }) => acknowledge(object.id, new Date(Date.now() + DAY).toISOString()),
    },
  ],
};

const HANDLED: Selection<AlertGroup> = {
  ...COMMON,
  actions: [
    {
      label: 'Reopen…',
      icon: RotateCcw,
      ...UNDOABLE,
      title: (what) => `Reopen ${what}?`,
      description: 'They need attention again, for everybody.',
      submitLabel: 'Reopen',
      done: (what) => `${what} reopened`,
      each: ({ object }) => reopen(object.id),
    },
  ],
};

/** The API acknowledges, snoozes and reopens by object. */
const ALSO_HIDDEN = 'Actions apply to all alerts of an object, also those that are not shown.';

const describeHidden = (selection: Selection<AlertGroup>): Selection<AlertGroup> => ({
  ...selection,
  actions: selection.actions.map((action) => ({
    ...action,
    description: `${action.description} ${ALSO_HIDDEN}`,
  })),
});

interface AlertsProps {
  /** Undefined while they load. */
  rows: readonly Alert[] | undefined;
  /** True if other alerts of the objects may be hidden. */
  isPartial: boolean;
}

export const OpenAlerts = (props: AlertsProps) => <AlertGroups label="Open" selection={OPEN} {...props} />;

export const HandledAlerts = (props: AlertsProps) => (
  <AlertGroups label="Acknowledged" selection={HANDLED} {...props} />
);

interface AlertGroupsProps extends AlertsProps {
  label: string;
  selection: Selection<AlertGroup>;
}

/** One line for each object, with a checkbox if several can be selected. */
function AlertGroups({ label, selection, rows, isPartial }: AlertGroupsProps) {
  const groups = groupAlerts(rows ?? []);
  const { marks, bar } = useMarks(isPartial ? describeHidden(selection) : selection, {
    label: 'alerts',
    rows: groups,
  });
  if (rows === undefined) return <Skeleton className="h-40 rounded-lg" />;
  const shown = groups.length > 1 ? marks : null;
  return (
    <>
      {isPartial ? <p className="text-xs text-muted-foreground">{ALSO_HIDDEN}</p> : null}
      <MarkAll marks={shown} />
      <ul aria-label={label} className="rounded-lg border bg-card">
        {groups.map((group) => (
          <AlertRow key={group.object.id} group={group} mark={shown?.rowBox(group)} />
        ))}
      </ul>
      {bar}
    </>
  );
}
