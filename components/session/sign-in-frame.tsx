import type { ReactNode } from 'react';
import { Wordmark } from '@/components/shell/wordmark';
import { cn } from '@/components/ui/cn';

interface SignInFrameProps {
  title: string;
  /** Makes the frame wider than a two-field form. */
  wide?: boolean;
  children: ReactNode;
}

/** Frame of the pages before sign-in. */
export function SignInFrame({ title, wide, children }: SignInFrameProps) {
  return (
    <main className="grid min-h-dvh place-items-center bg-sidebar px-4 py-10">
      <div className={cn('w-full', wide ? 'max-w-md' : 'max-w-88')}>
        <div className="mb-6 flex flex-col items-center gap-4 text-center">
          <Wordmark className="text-xl [&_svg]:size-7" />
          <h1 className="text-sm font-normal text-muted-foreground">{title}</h1>
        </div>
        <div className="flex flex-col gap-4 rounded-xl border bg-card p-6">{children}</div>
      </div>
    </main>
  );
}
