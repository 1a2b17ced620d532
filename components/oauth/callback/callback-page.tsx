'use client';

import Link from 'next/link';
import { useEffect } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { type AuthorizationResponse, handOver } from '@/components/oauth/callback/handed-over';
import { Wordmark } from '@/components/shell/wordmark';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** Where the lab redirects browsers to. Shows what came, takes it out of the address bar, and hands it to the builder. */
export function CallbackPage({ response }: { response: AuthorizationResponse }) {
  useEffect(() => {
    if (response.code === undefined && response.error === undefined) return;
    handOver(response);
    window.history.replaceState(null, '', window.location.pathname);
  }, [response]);
  const received = Object.entries(response).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const outcome = response.code ? 'The authorization server answered' : 'Nothing came back';
  return (
    <main className="grid min-h-dvh place-items-center bg-sidebar px-4 py-10">
      <div className="w-full max-w-xl">
        <Wordmark className="mb-6" />
        <div className="flex flex-col gap-4 rounded-xl border bg-card p-6">
          <div>
            <h1 className="text-lg font-semibold">{response.error ? 'The authorization was refused' : outcome}</h1>
            <p className="mt-1 text-sm text-muted-foreground">
              This is the redirect URI of the demo clients.{' '}
              {received.length > 0
                ? 'The code works once, together with the verifier of the client that asked for it.'
                : 'An authorization server sends browsers here with a code.'}
            </p>
          </div>
          {received.length > 0 ? (
            <>
              <dl className="divide-y rounded-md border">
                {received.map(({ name, value }) => (
                  <div key={name} className="flex items-center gap-3 px-3 py-2">
                    <dt className="w-24 shrink-0 font-mono text-xs text-muted-foreground">{name}</dt>
                    <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
                      <span dir="ltr" className="min-w-0 font-mono text-xs wrap-anywhere">
                        {visibleText(value)}
                      </span>
                      <CopyButton value={value} label={`Copy ${name}`} />
                    </dd>
                  </div>
                ))}
              </dl>
              <Alert>A builder open in another tab already has it.</Alert>
            </>
          ) : null}
          <Button asChild className="self-start">
            <Link href="/oauth" prefetch={false}>
              Open the builder
            </Link>
          </Button>
        </div>
      </div>
    </main>
  );
}
