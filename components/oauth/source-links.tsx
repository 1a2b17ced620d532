import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';
import { sourceAddress } from '@/components/oauth/source-address';

/** The sections of specifications that something follows, as links. */
export function SourceLinks({ sources }: { sources: readonly string[] }) {
  return sources.map((source, index) => {
    const address = sourceAddress(source);
    return (
      <Fragment key={source}>
        {index > 0 ? ', ' : null}
        {address === null ? (
          source
        ) : (
          <a
            href={address}
            target="_blank"
            rel="noreferrer"
            className="inline-flex items-center gap-0.5 text-primary underline underline-offset-3"
          >
            {source}
            <ExternalLink aria-label="(opens in a new tab)" className="size-3" />
          </a>
        )}
      </Fragment>
    );
  });
}
