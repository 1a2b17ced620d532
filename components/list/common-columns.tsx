import { RelativeTime } from '@/components/format/relative-time';
import type { TableColumn } from '@/components/list/data-table';
import type { PhonePlace } from '@/components/list/phone-row';

export function reasonColumn<Row extends { reason: string | null }>(className: string): TableColumn<Row> {
  return {
    id: 'reason',
    header: 'Reason',
    cell: ({ reason }) => (
      <span
        className="block max-w-72 truncate max-sm:line-clamp-2 max-sm:max-w-none max-sm:whitespace-normal"
        title={reason ?? undefined}
      >
        {reason}
      </span>
    ),
    className: `${className} w-full`,
    phone: 'detail',
  };
}

/** Column for a time in the past or future, or "never". */
export function timeColumn<Id extends string>(
  id: Id,
  header: string,
  className?: string,
  phone: PhonePlace = 'detail',
): TableColumn<Record<Id, string | null>> {
  return {
    id,
    header,
    cell: ({ [id]: at }) =>
      at === null ? (
        <span className="text-muted-foreground">never</span>
      ) : (
        <RelativeTime at={at} className="text-muted-foreground" />
      ),
    className,
    phone,
    phoneLabel: header,
  };
}

/** Column for a text. `look` is the class list of the text itself. */
export function textColumn<Id extends string>(
  id: Id,
  header: string,
  look: string,
  className?: string,
  phone: PhonePlace = 'detail',
): TableColumn<Record<Id, string>> {
  return { id, header, cell: ({ [id]: text }) => <span className={look}>{text}</span>, className, phone };
}
