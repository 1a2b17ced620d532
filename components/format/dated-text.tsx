import { Fragment } from 'react';
import { Timestamp } from '@/components/format/timestamp';
import { parseTimestamp } from '@/lib/contract/fields/parse-timestamp';

/** A time as texts of the API contain it: `2026-11-20T12:00:00.000Z`, or `2026-11-20 at 12:00 UTC`. */
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\d{4}-\d\d-\d\d at \d\d:\d\d UTC)/;

/** Shows a text of the API with its times in the chosen zone. */
export function DatedText({ children: text }: { children: string }) {
  return text.split(TIME).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
    <Fragment key={index}>{index % 2 === 1 ? <FoundTime>{part}</FoundTime> : part}</Fragment>
  ));
}

/** Shows a found time. A name or a reason in the text may look like a time and be none: `2026-13-40T10:00:00Z`. */
function FoundTime({ children: text }: { children: string }) {
  const at = parseTimestamp(text.replace(' at ', 'T').replace(' UTC', ':00Z'));
  return at === null ? text : <Timestamp at={at} />;
}
