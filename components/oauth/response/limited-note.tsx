'use client';

import { useNow } from '@/components/format/use-now';
import { Alert } from '@/components/ui/alert';

/** Says that Sluice's own rate limit refused a request, and how long to wait. `since` in milliseconds. */
export function LimitedNote({ seconds, since }: { seconds: number; since: number }) {
  const now = useNow();
  const left = now === null ? seconds : Math.max(0, Math.ceil((since + seconds * 1000 - now) / 1000));
  return (
    <Alert variant="warning" title="Refused by Sluice's own rate limit">
      The lab never saw this request: /auth/* admits 10 requests a minute from one address.{' '}
      {left > 0 ? `Wait ${left} s, then send it again.` : 'You can send it again now.'}
    </Alert>
  );
}
