'use client';

import { CalendarClock, Hourglass, Trash2 } from 'lucide-react';
import type { Selection } from '@/components/batch/batch-action';
import { endAction, removeAction } from '@/components/batch/common-actions';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import { endException, removeException } from '@/components/exceptions/exception-calls';
import { describeAllowance, KIND_NAMES, listReviewReasons, nameSubject } from '@/components/exceptions/exception-words';
import { RelativeTime } from '@/components/format/relative-time';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { Identifier, IdentifierMenuItems } from '@/components/identifier/identifier';
import { describeNarrowerRange } from '@/components/identifier/narrower-words';
import { reasonColumn, timeColumn } from '@/components/list/common-columns';
import { ResourceList } from '@/components/list/resource-list';
import { RowMenu } from '@/components/list/row-menu';
import type { ResourceDeclaration } from '@/components/list/use-resource-list';
import { ActionItems, type Actions, loadDialog } from '@/components/shell/action';
import { Badge } from '@/components/ui/badge';
import { Link } from '@/components/ui/link';
import { EXCEPTION_KINDS, type Exception, listExceptions } from '@/lib/contract/exceptions';
import { formatNumber } from '@/lib/format-number';

const ACTIONS: Actions<Exception> = {
  extend: {
    label: 'Change end…',
    icon: CalendarClock,
    needs: 'operator',
    dialog: loadDialog(() => import('@/components/exceptions/extend-dialog')),
  },
  remove: {
    label: ({ kind }) => (kind === 'grant' ? 'End grant…' : 'Remove…'),
    icon: Trash2,
    needs: 'operator',
    destructive: true,
    dialog: loadDialog(() => import('@/components/exceptions/remove-dialog')),
  },
};

const SELECTION: Selection<Exception> = {
  nouns: ['exception', 'exceptions'],
  id: ({ id }) => id,
  isManaged: ({ managed }) => managed === true,
  name: (exception) =>
    `${nameSubject(exception)}, ${KIND_NAMES[exception.kind].toLowerCase()}: ${describeAllowance(exception)}`,
  target: ({ identifier }) => identifier,
  changes: ['exceptions', 'allowlist', 'overrides', 'api-keys'],
  actions: [
    endAction({
      example: 'The partner still needs it',
      asks: 'end',
      buildCall: endException,
    }),
    removeAction({
      description:
        'The policies apply again, starting with the next request. Unused requests of a grant are withdrawn.',
      example: 'No longer needed',
      buildCall: removeException,
    }),
  ],
};

const useExceptionSelection = (list: Selectable<Exception>) => useSelection(SELECTION, list);

const LIST: ResourceDeclaration<Exception> = {
  title: 'Exceptions',
  description: 'Everything that differs from the policies, by when it ends: allowlist entries, overrides, grants.',
  needs: 'operator',
  noMatch: 'No exception matches',
  empty: {
    icon: Hourglass,
    title: 'No exceptions: the policies apply to everyone',
    text: 'Allowlist entries, overrides and grants show up here while they are in force.',
  },
  key: 'exceptions',
  contract: listExceptions,
  label: 'Exceptions',
  search: { label: 'Search identifier, key or reason' },
  sort: 'ends_at',
  sortings: ['identifier', 'ends_at', 'would_be_limited', 'created_at'],
  exported: true,
  refetchInterval: 30_000,
  rowId: ({ id }) => id,
  facets: [
    { name: 'kind', label: 'Kind', options: EXCEPTION_KINDS.map((value) => ({ value, label: KIND_NAMES[value] })) },
    {
      name: 'note',
      label: 'Note',
      options: [
        { value: 'ends_soon', label: 'Ends within a day' },
        { value: 'never_used', label: 'Never used' },
        { value: 'limited', label: 'Would have been limited' },
        { value: 'covered', label: 'Covered by the allowlist' },
        { value: 'overlapped', label: 'Overlapped by another' },
        { value: 'wide', label: 'Wide range' },
      ],
    },
  ],
  columns: [
    {
      id: 'identifier',
      header: 'For',
      cell: (exception) => <ExceptionSubject exception={exception} />,
      phone: 'title',
    },
    { id: 'kind', header: 'Kind', cell: ({ kind }) => <Badge>{KIND_NAMES[kind]}</Badge>, phone: 'aside' },
    { id: 'effect', header: 'Effect', cell: describeAllowance, className: 'whitespace-nowrap', phone: 'detail' },
    // The reason column takes the remaining width, so that notes and menus stay visible.
    reasonColumn('max-lg:hidden lg:max-w-0 lg:min-w-36'),
    timeColumn('ends_at', 'Ends'),
    {
      id: 'would_be_limited',
      header: 'Use',
      cell: (exception) => <ExceptionUse exception={exception} />,
      phone: 'detail',
    },
    { id: 'notes', header: 'Notes', cell: (exception) => <Notes exception={exception} />, phone: 'detail' },
    timeColumn('created_at', 'Created', 'max-2xl:hidden', 'hidden'),
  ],
  useSelection: useExceptionSelection,
  RowActions,
};

function ExceptionSubject({ exception }: { exception: Exception }) {
  const { type, identifier } = exception;
  if (type !== 'api_key')
    return <Identifier target={{ type, identifier }} menu={false} className="max-w-60 max-sm:max-w-full" />;
  return (
    <Link href={`/keys/${identifier}`} className="font-medium hover:underline">
      {nameSubject(exception)}
    </Link>
  );
}

/** Shows how many requests would have been refused without the exemption, if available; otherwise its last use. */
function ExceptionUse({ exception: { would_be_limited: limited, last_used_at: used } }: { exception: Exception }) {
  if (limited !== null && limited.at_least > 0) {
    return (
      <span className="whitespace-nowrap tabular-nums" title="Requests that would have been refused without it">
        needed by at least {formatNumber(limited.at_least)}
        <span className="block text-xs text-muted-foreground">
          counted from <RelativeTime at={limited.since} />
        </span>
      </span>
    );
  }
  if (used === null) return <span className="text-muted-foreground max-sm:hidden">–</span>;
  return (
    <span className="whitespace-nowrap text-muted-foreground">
      used <RelativeTime at={used} />
    </span>
  );
}

function Notes({ exception }: { exception: Exception }) {
  const { zone } = useTimeZone();
  const { narrower, narrower_since: since } = exception;
  const tooltip =
    since === null ? undefined : `Every address that used it since ${formatAbsoluteTime(since, zone)} is in this range`;
  return (
    <span className="flex flex-wrap gap-1">
      {listReviewReasons(exception).map(({ text, urgent }) => (
        <Badge key={text} variant={urgent ? 'warning' : 'outline'}>
          {text}
        </Badge>
      ))}
      {narrower === null ? null : (
        <Badge variant="outline" title={tooltip}>
          {describeNarrowerRange(narrower)}
        </Badge>
      )}
    </span>
  );
}

function RowActions({ row: exception }: { row: Exception }) {
  const { type, identifier } = exception;
  return (
    <RowMenu name={nameSubject(exception)}>
      <ActionItems actions={ACTIONS} row={exception} />
      {type === 'api_key' ? null : <IdentifierMenuItems target={{ type, identifier }} />}
    </RowMenu>
  );
}

export const ExceptionsPage = () => <ResourceList declaration={LIST} />;
