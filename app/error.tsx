'use client';

import { SluiceMark } from '@/components/shell/sluice-mark';
import { buttonVariants } from '@/components/ui/button-variants';

/** Every page loads this file. It imports no component of pages, because the page would load that twice. */
export default function RootError({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div role="alert" className="flex max-w-sm flex-col items-center gap-2 text-center">
        <SluiceMark className="mb-3 size-9" />
        <h1 className="text-xl font-semibold">Sluice cannot show this page</h1>
        <p className="text-sm text-muted-foreground">
          The database may be down. Requests are still decided.
          {error.digest ? ` Reference ${error.digest}.` : ''}
        </p>
        <button type="button" className={buttonVariants({ className: 'mt-4' })} onClick={reset}>
          Try again
        </button>
      </div>
    </main>
  );
}
