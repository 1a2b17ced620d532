'use client';

import { EmptyState } from '@/components/list/empty-state';
import { Button } from '@/components/ui/button';

export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <div role="alert">
      <EmptyState title="This page has a problem" action={<Button onClick={reset}>Try again</Button>}>
        Saved changes are safe.{error.digest ? ` Reference ${error.digest}.` : ''}
      </EmptyState>
    </div>
  );
}
