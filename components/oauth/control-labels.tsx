import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';

/** Where a source such as `RFC 9700 2.1` can be read, or null. */
export function sourceAddress(source: string): string | null {
  const [, rfc, section] = /^RFC (\d+)(?: ([\d.]+))?/.exec(source) ?? [];
  if (rfc !== undefined) return `https://www.rfc-editor.org/rfc/rfc${rfc}${section ? `#section-${section}` : ''}`;
  if (source.startsWith('OIDC Core')) return 'https://openid.net/specs/openid-connect-core-1_0.html';
  return null;
}

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
