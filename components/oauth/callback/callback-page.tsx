'use client';

import { useEffect, useRef, useState } from 'react';
import { type AuthorizationResponse, handOverResponse } from '@/components/oauth/callback/handed-over';
import { ReceivedResponse } from '@/components/oauth/callback/received-response';
import { forgetAddress, readAssessment } from '@/components/oauth/callback/sign-in-channel';
import { SignInWindow } from '@/components/oauth/callback/sign-in-window';
import { Wordmark } from '@/components/shell/wordmark';

/** Purpose of this visit: the window of an assessment, or an authorization response for the builder. */
type Visit = { assessment: string; returned: string | null } | 'builder' | 'unknown';

/**
 * Page that authorization servers redirect browsers to. It removes the response from the address bar and passes it on.
 */
export function CallbackPage({ response, hasLab }: { response: AuthorizationResponse; hasLab: boolean }) {
  const [visit, setVisit] = useState<Visit>('unknown');
  /** True once the OAuth client has the response that it waited for. */
  const [received, setReceived] = useState(false);
  const read = useRef(false);
  useEffect(() => {
    // The first run removes the response, so a second run would find none.
    if (read.current) return;
    read.current = true;
    const { href, hash, search } = window.location;
    const assessment = readAssessment();
    const answered = search !== '' || (hash !== '' && !hash.startsWith('#assessment='));
    if (assessment !== null) setVisit({ assessment, returned: answered ? href : null });
    else {
      setVisit('builder');
      if (response.code !== undefined || response.error !== undefined)
        handOverResponse(response, () => {
          setReceived(true);
          // Closes only a window that a script opened.
          window.close();
        });
    }
    if (answered || assessment !== null) forgetAddress();
  }, [response]);
  return (
    <main className="grid min-h-dvh place-items-center bg-sidebar px-4 py-10">
      <div className="w-full max-w-xl">
        <Wordmark className="mb-6" />
        <div className="flex flex-col gap-4 rounded-xl border bg-card p-6">
          {visit === 'unknown' ? <h1 className="text-lg font-semibold">One moment…</h1> : null}
          {visit === 'builder' ? (
            <ReceivedResponse
              response={response}
              received={received}
              opens={received || !hasLab ? 'client' : 'builder'}
            />
          ) : null}
          {typeof visit === 'object' ? <SignInWindow {...visit} /> : null}
        </div>
      </div>
    </main>
  );
}
