import { Fragment } from 'react';
import { findSourceUrl } from '@/lib/oauth/report/sources';

/** A document that a sentence names: `RFC 8414 section 3.3`, `OpenID Connect Core`. */
const DOCUMENT = /(RFC \d+(?: section [\d.]*\d)?|OpenID Connect Core)/;

/** Shows a text, with links to the documents that it cites. */
export function CitedText({ children: text }: { children: string }) {
  return text.split(DOCUMENT).map((part, index) => {
    const address = index % 2 === 1 ? findSourceUrl(part.replace(' section', '')) : undefined;
    if (address === undefined) return part;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
      <Fragment key={index}>
        <a href={address} target="_blank" rel="noreferrer" className="underline underline-offset-3">
          {part}
          <span className="sr-only"> (opens in a new tab)</span>
        </a>
      </Fragment>
    );
  });
}
