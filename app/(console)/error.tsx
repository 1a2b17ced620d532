'use client';

import { EmptyState } from '@/components/list/empty-state';
import { Button } from '@/components/ui/button';

/** Replaces a page of the console that failed. Trying again loads it from the server. */
export default function ConsoleError({ error }: { error: Error & { digest?: string } }) {
  return (
    <div role="alert">
      <EmptyState
        title="This page has a problem"
        action={<Button onClick={() => window.location.reload()}>Try again</Button>}
      >
        Saved changes are safe.{error.digest ? ` Reference ${error.digest}.` : ''}
      </EmptyState>
    </div>
  );
}
