'use client';

import { SluiceMark } from '@/components/shell/sluice-mark';
import { buttonVariants } from '@/components/ui/button-variants';

/**
 * Replaces a page that the server could not render. Trying again loads the page from the server again: Next's `reset` renders the same
 * failed answer. Every page loads this file, so it imports no component of pages, which would load twice.
 */
export default function RootError({ error }: { error: Error & { digest?: string } }) {
  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div role="alert" className="flex max-w-sm flex-col items-center gap-2 text-center">
        <SluiceMark className="mb-3 size-9" />
        <h1 className="text-xl font-semibold">Sluice cannot show this page</h1>
        <p className="text-sm text-muted-foreground">
          The database may be down. Requests are still decided.
          {error.digest ? ` Reference ${error.digest}.` : ''}
        </p>
        <button
          type="button"
          className={buttonVariants({ className: 'mt-4' })}
          onClick={() => window.location.reload()}
        >
          Try again
        </button>
      </div>
    </main>
  );
}
