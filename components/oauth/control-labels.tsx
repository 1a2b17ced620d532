import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';
import { Badge } from '@/components/ui/badge';
import type { Severity } from '@/lib/oauth/controls/control';

const LOOKS = { critical: 'destructive', high: 'warning', medium: 'primary', low: 'neutral', info: 'outline' } as const;

export function SeverityBadge({ severity }: { severity: Severity }) {
  return (
    <Badge variant={LOOKS[severity]} className="w-14 justify-center">
      {severity}
    </Badge>
  );
}

/** Where a source such as `RFC 9700 2.1` can be read, or null. */
export function sourceAddress(source: string): string | null {
  const [, rfc, section] = /^RFC (\d+)(?: ([\d.]+))?/.exec(source) ?? [];
  if (rfc !== undefined) return `https://www.rfc-editor.org/rfc/rfc${rfc}${section ? `#section-${section}` : ''}`;
  return source.startsWith('OIDC Core') ? 'https://openid.net/specs/openid-connect-core-1_0.html' : null;
}

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
