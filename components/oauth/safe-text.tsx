import { Fragment, memo } from 'react';
import { ScrollBox } from '@/components/oauth/exchange/scroll-box';
import { cn } from '@/components/ui/cn';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** More than this is shown as plain text, in characters. */
const COLOURED = 60_000;
/** More than this is not shown at all, in characters. */
const SHOWN = 200_000;

/** A string that is not closed goes on to the end: no part of it is looked at again. */
const TOKENS = /("(?:\\[\s\S]|[^"\\])*(?:"|\\?$))(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** JSON with line breaks, where a text is JSON; else the text as it is. */
export function prettyJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Strings (group 1, with a colon after them in group 2), numbers and names, each part of a text looked at once. */
export function jsonTokens(text: string): RegExpStringIterator<RegExpExecArray> {
  return text.matchAll(TOKENS);
}

function Coloured({ text }: { text: string }) {
  const parts = [];
  let end = 0;
  for (const match of jsonTokens(text)) {
    const [token, string, colon] = match;
    parts.push(text.slice(end, match.index));
    const colour = string === undefined ? 'text-json-atom' : colon === undefined ? 'text-json-string' : 'text-json-key';
    parts.push(
      <span key={match.index} className={colour}>
        {string ?? token}
      </span>,
      colon ?? '',
    );
    end = match.index + token.length;
  }
  return [...parts, text.slice(end)].map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={index}>{part}</Fragment>
  ));
}

/**
 * A text of unknown origin, safe to look at: as text only, with what is invisible made visible, cut where it is too
 * long. JSON is coloured.
 */
export const SafeText = memo(function SafeText({
  text,
  label,
  className,
}: {
  text: string;
  label: string;
  className?: string;
}) {
  const pretty = prettyJson(text);
  const shown = visibleText(pretty.length > SHOWN ? pretty.slice(0, SHOWN) : pretty);
  return (
    <>
      <ScrollBox label={label} className={cn('max-h-96 bg-muted/50', className)}>
        <pre dir="ltr" className="px-3 py-2 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
          {shown.length <= COLOURED && /^\s*[[{]/.test(shown) ? <Coloured text={shown} /> : shown}
        </pre>
      </ScrollBox>
      {pretty.length > SHOWN ? (
        <p className="mt-1 text-xs text-muted-foreground">
          Only the first {SHOWN.toLocaleString('en-US')} of {pretty.length.toLocaleString('en-US')} characters are
          shown.
        </p>
      ) : null}
    </>
  );
});
