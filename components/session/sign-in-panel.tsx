'use client';

import { OriginNotice } from '@/components/session/origin-notice';
import { ProviderButtons } from '@/components/session/provider-buttons';
import type { RefusalText } from '@/components/session/refusals';
import { SignInForm } from '@/components/session/sign-in-form';
import { Wordmark } from '@/components/shell/wordmark';
import { Alert } from '@/components/ui/alert';

export function SignInPanel({
  providers,
  target,
  refusal,
  origins,
}: {
  providers: readonly { id: string; name: string }[];
  /** Path to go to afterwards. */
  target: string;
  /** Why the person was sent back without a session. */
  refusal: RefusalText | null;
  /** Origins that Sluice recognises. */
  origins: readonly string[];
}) {
  return (
    <main className="grid min-h-dvh place-items-center bg-sidebar px-4 py-10">
      <div className="w-full max-w-88">
        <div className="mb-6 flex flex-col items-center gap-4 text-center">
          <Wordmark className="text-xl [&_svg]:size-7" />
          <h1 className="text-sm font-normal text-muted-foreground">Sign in to the console</h1>
        </div>
        <div className="flex flex-col gap-4 rounded-xl border bg-card p-6">
          <OriginNotice origins={origins} />
          {refusal ? (
            <Alert variant="destructive" title={refusal.title}>
              {refusal.text}
            </Alert>
          ) : null}
          <SignInForm onSuccess={() => window.location.assign(target)} />
          {providers.length > 0 ? (
            <>
              <div className="flex items-center gap-3 text-xs text-muted-foreground before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
                or
              </div>
              <ProviderButtons providers={providers} callbackUrl={target} />
            </>
          ) : null}
        </div>
      </div>
    </main>
  );
}
