/**
 * Position of a column on a phone, where each row has two lines. `title` and `aside` are in the first line, `detail` in
 * the second, `mark` before both. `hidden` columns appear only on the row's own page.
 */
export type PhonePlace = 'mark' | 'title' | 'aside' | 'detail' | 'hidden';

/**
 * Styles of a row, with a break before its second line. The screen orders cells by position, the document by column.
 */
export const PHONE_ROW =
  "max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:px-3 max-sm:py-2 max-sm:after:order-2 max-sm:after:basis-full max-sm:after:content-['']";

const CELL =
  'max-sm:h-auto max-sm:w-auto max-sm:min-w-0 max-sm:max-w-full max-sm:p-0 max-sm:first:pl-0 max-sm:last:pr-0 max-sm:wrap-anywhere';

export const PHONE_CELL: Record<PhonePlace, string> = {
  mark: `${CELL} max-sm:block`,
  title: `${CELL} max-sm:block max-sm:grow max-sm:basis-2/5 max-sm:whitespace-normal`,
  aside: `${CELL} max-sm:order-1 max-sm:block max-sm:text-right max-sm:text-xs`,
  detail: `${CELL} max-sm:order-3 max-sm:block max-sm:whitespace-normal max-sm:text-xs max-sm:text-muted-foreground`,
  hidden: 'max-sm:hidden',
};

/**
 * Styles of a phone's table header: one line of sort buttons. Columns that cannot be sorted are there for screen
 * readers only.
 */
export const PHONE_HEAD = {
  row: "max-sm:flex max-sm:items-center max-sm:gap-x-3.5 max-sm:overflow-x-auto max-sm:bg-muted max-sm:px-3 max-sm:text-xs max-sm:text-muted-foreground max-sm:before:shrink-0 max-sm:before:content-['Sort_by']",
  sorts:
    'max-sm:flex max-sm:w-auto max-sm:max-w-none max-sm:items-center max-sm:p-0 max-sm:first:pl-0 max-sm:last:pr-0',
  silent: 'max-sm:sr-only',
} as const;

/** Returns the phone position of a column. Row actions are in the first line, like a column with `aside`. */
export function choosePlace({ id, phone }: { id: string; phone?: PhonePlace }): PhonePlace {
  return phone ?? (id === 'actions' ? 'aside' : 'detail');
}
