import { Fragment, memo, type ReactNode } from 'react';
import { cn } from '@/components/ui/cn';
import { formatNumber } from '@/lib/format-number';
import { indentJson } from '@/lib/json';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Maximum number of characters that are coloured. */
const COLOURED = 60_000;
/** Maximum number of characters that are shown. */
const SHOWN = 200_000;

/** An unclosed string extends to the end, so that no part of it is scanned twice. */
const TOKENS = /("(?:\\[\s\S]|[^"\\])*(?:"|\\?$))(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

/** Matches strings (group 1; group 2 is the colon after a member name), numbers and literals, in linear time. */
export const matchJsonTokens = (text: string) => text.matchAll(TOKENS);

function ColouredJson({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of matchJsonTokens(text)) {
    const [token, string, colon] = match;
    const colour = string === undefined ? 'text-json-atom' : colon === undefined ? 'text-json-string' : 'text-json-key';
    parts.push(
      <Fragment key={match.index}>
        {text.slice(end, match.index)}
        <span className={colour}>{string ?? token}</span>
        {colon}
      </Fragment>,
    );
    end = match.index + token.length;
  }
  return [...parts, text.slice(end)];
}

/** Scrollable box that the keyboard can reach. */
export function ScrollBox({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  const classes = cn('overflow-auto rounded-md border focus-visible:-outline-offset-1', className);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" aria-label={label} tabIndex={0} className={classes}>
      {children}
    </div>
  );
}

/** Shows untrusted text safely: as plain text, with invisible characters escaped, cut to `SHOWN`. JSON is coloured. */
export const SafeText = memo(function SafeText(props: { text: string; label: string; className?: string }) {
  const { text, label, className } = props;
  const pretty = indentJson(text);
  const shown = escapeInvisibleCharacters(pretty.slice(0, SHOWN));
  return (
    <>
      <ScrollBox label={label} className={cn('max-h-96 bg-muted/50', className)}>
        <pre dir="ltr" className="px-3 py-2 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
          {shown.length <= COLOURED && /^\s*[[{]/.test(shown) ? <ColouredJson text={shown} /> : shown}
        </pre>
      </ScrollBox>
      {pretty.length > SHOWN ? (
        <p className="mt-1 text-xs text-muted-foreground">
          Only the first {formatNumber(SHOWN)} of {formatNumber(pretty.length)} characters are shown.
        </p>
      ) : null}
    </>
  );
});
