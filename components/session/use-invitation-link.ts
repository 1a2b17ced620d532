import { useCallback, useEffect, useRef, useState } from 'react';
import { CallError, call } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';
import { type OpenInvitation, readInvitation } from '@/lib/contract/invitations';

export type LinkState =
  | { kind: 'loading' }
  /** The address has no token. */
  | { kind: 'missing' }
  | { kind: 'gone' }
  | { kind: 'fault'; title: string; text: string }
  | { kind: 'open'; token: string; invitation: OpenInvitation };

/** The token in the fragment, which is taken out of the address bar and so of the history. */
function takeToken(): string | null {
  const token = /^#(sli_[\w-]{43})$/.exec(window.location.hash)?.[1] ?? null;
  if (window.location.hash !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

/** The invitation that the address of the page names. Its token stays in memory and goes to the server in a body only. */
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
    // Another link that is opened in the same tab changes nothing but the fragment.
    window.addEventListener('hashchange', listen);
    return () => window.removeEventListener('hashchange', listen);
  }, [read]);
  return { state, retry: () => void read() };
}
