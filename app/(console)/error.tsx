'use client';

import { EmptyState } from '@/components/list/empty-state';
import { Button } from '@/components/ui/button';

export default function ConsoleError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <div role="alert">
      <EmptyState title="This page has a problem" action={<Button onClick={reset}>Try again</Button>}>
        Nothing that was saved is affected.{error.digest ? ` Reference ${error.digest}.` : ''}
      </EmptyState>
    </div>
  );
}
