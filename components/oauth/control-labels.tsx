import { ExternalLink } from 'lucide-react';
import { Fragment } from 'react';
import { Badge } from '@/components/ui/badge';
import type { Severity } from '@/lib/oauth/controls/control';
import { findSourceUrl } from '@/lib/oauth/report/sources';

const LOOKS = { critical: 'destructive', high: 'warning', medium: 'primary', low: 'neutral', info: 'outline' } as const;

/** Badge with the severity of a missing control. It is coloured only if the control `failed`. */
export function SeverityBadge({ severity, failed = true }: { severity: Severity; failed?: boolean }) {
  return (
    <Badge variant={failed ? LOOKS[severity] : 'outline'} className="w-14 justify-center">
      {severity}
    </Badge>
  );
}

export function SourceLinks({ sources }: { sources: readonly string[] }) {
  return sources.map((source, index) => {
    const address = findSourceUrl(source);
    return (
      <Fragment key={source}>
        {index > 0 ? ', ' : null}
        {address === undefined ? (
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
