import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { type ReactNode, useEffect, useState } from 'react';
import { CallError, watchSessionEnd } from '@/components/api/call';
import { watchReach } from '@/components/api/reach';

const SessionEnded = dynamic(() => import('@/components/frame/session-ended'), { ssr: false });

/** True if the error is temporary. A retry after any other error would get the same answer. */
function isTemporary(error: unknown): error is CallError {
  return error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

/** True for server errors, which may be fixed without action in the browser. */
function canRecover(error: unknown): boolean {
  return isTemporary(error) || (error instanceof CallError && error.status >= 500);
}

/** Returns the wait that the server asked for, in milliseconds. */
function readWait(error: unknown): number {
  return error instanceof CallError ? (error.retryAfter ?? 0) * 1000 : 0;
}

/** Interval between retries of a failed query, in milliseconds. */
const AGAIN = 10_000;

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchInterval: ({ state }) => (canRecover(state.error) ? Math.max(AGAIN, readWait(state.error)) : false),
        retry: (count, error) => count < 2 && isTemporary(error) && (error.retryAfter ?? 0) <= 5,
        retryDelay: (count, error) =>
          error instanceof CallError && error.retryAfter !== null ? error.retryAfter * 1000 : 500 * 2 ** count,
      },
    },
  });
}

/**
 * Provides the query cache. If the session ends, a dialog over the page asks for sign-in, so that typed text survives.
 */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [ended, setEnded] = useState(false);
  const [client] = useState(createClient);
  useEffect(() => watchSessionEnd(() => setEnded(true)), []);
  useEffect(
    () =>
      watchReach(({ lost }) => {
        if (!lost) void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null });
      }),
    [client],
  );
  return (
    <QueryClientProvider client={client}>
      {children}
      {ended ? (
        <SessionEnded
          onReturn={() => {
            setEnded(false);
            void client.invalidateQueries();
          }}
        />
      ) : null}
    </QueryClientProvider>
  );
}
