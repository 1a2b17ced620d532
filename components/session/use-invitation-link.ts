import { useCallback, useEffect, useRef, useState } from 'react';
import { CallError, call } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';
import { type OpenInvitation, readInvitation } from '@/lib/contract/invitations';

export type LinkState =
  | { kind: 'loading' }
  /** The URL has no token. */
  | { kind: 'missing' }
  | { kind: 'gone' }
  | { kind: 'fault'; title: string; text: string }
  | { kind: 'open'; token: string; invitation: OpenInvitation };

/** Reads the token from the fragment and removes it from the address bar and the history. */
function takeToken(): string | null {
  const token = /^#(sli_[\w-]{43})$/.exec(window.location.hash)?.[1] ?? null;
  if (window.location.hash !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/** Resolves the invitation in the page's URL. The token stays in memory and is sent only in request bodies. */
export function useInvitationLink(): { state: LinkState; retry: () => void } {
  const token = useRef<string | null>(null);
  const [state, setState] = useState<LinkState>({ kind: 'loading' });
  const read = useCallback(async () => {
    token.current = takeToken() ?? token.current;
    const current = token.current;
    if (current === null) return setState({ kind: 'missing' });
    setState({ kind: 'loading' });
    try {
      const { value } = await call(readInvitation, { body: { token: current } });
      setState({ kind: 'open', token: current, invitation: value });
    } catch (error) {
      if (error instanceof CallError && error.status === 404) return setState({ kind: 'gone' });
      setState({ kind: 'fault', ...explainError(error) });
    }
  }, []);
  useEffect(() => {
    const listen = () => void read();
    listen();
    // Opening another link in the same tab changes only the fragment.
    window.addEventListener('hashchange', listen);
    return () => window.removeEventListener('hashchange', listen);
  }, [read]);
  return { state, retry: () => void read() };
}
