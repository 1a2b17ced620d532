'use client';

import { Wordmark } from '@/components/shell/wordmark';
import { ProviderButtons } from '@/components/sign-in/provider-buttons';
import { SignInForm } from '@/components/sign-in/sign-in-form';
import { Alert } from '@/components/ui/alert';

/** The page by which people come in. `refused` says that a provider sent them back without a session. */
export function SignInPanel({
  providers,
  target,
  refused,
}: {
  providers: readonly { id: string; name: string }[];
  /** Path to go to afterwards. */
  target: string;
  refused: boolean;
}) {
  return (
    <main className="grid min-h-dvh place-items-center bg-sidebar px-4 py-10">
      <div className="w-full max-w-88">
        <div className="mb-6 flex flex-col items-center gap-4 text-center">
          <Wordmark className="text-xl [&_svg]:size-7" />
          <h1 className="text-sm font-normal text-muted-foreground">Sign in to the console</h1>
        </div>
        <div className="flex flex-col gap-4 rounded-xl border bg-card p-6">
          {refused ? (
            <Alert variant="destructive" title="You were not let in">
              Only members can sign in with a provider. Ask an owner to add your e-mail address.
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
