import { Fragment } from 'react';
import { ScrollBox } from '@/components/oauth/safe-text';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

const COLOURS = ['text-json-atom', 'text-json-key', 'text-json-string'];
const NAMES = ['header', 'payload', 'signature'];

/** Shows a token with coloured parts and a legend. */
export function ColouredToken({ token, label }: { token: string; label: string }) {
  const parts = token.split('.');
  const isSigned = parts.length === NAMES.length;
  return (
    <div className="min-w-0">
      <ScrollBox label={label} className="max-h-44 bg-muted/50">
        <p dir="ltr" className="px-3 py-2 font-mono text-xs leading-5 break-all">
          {parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
            <Fragment key={index}>
              {index > 0 ? '.' : null}
              <span className={isSigned ? COLOURS[index] : undefined}>{escapeInvisibleCharacters(part)}</span>
            </Fragment>
          ))}
        </p>
      </ScrollBox>
      {isSigned ? (
        <p aria-hidden className="mt-1 flex gap-3 text-xs font-medium">
          {NAMES.map((name, index) => (
            <span key={name} className={COLOURS[index]}>
              {name}
            </span>
          ))}
        </p>
      ) : null}
    </div>
  );
}
