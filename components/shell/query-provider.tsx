import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { type ReactNode, useEffect, useState } from 'react';
import { CallError, onSessionEnd } from '@/components/call';

const SessionEnded = dynamic(() => import('@/components/shell/session-ended'), { ssr: false });

/** Faults that pass by themselves; anything else would be answered the same way again. */
function passes(error: unknown): error is CallError {
  return error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < 2 && passes(error) && (error.retryAfter ?? 0) <= 5,
        retryDelay: (count, error) =>
          error instanceof CallError && error.retryAfter !== null ? error.retryAfter * 1000 : 500 * 2 ** count,
      },
    },
  });
}

/** The query cache. When the session ends, a dialog over the page asks to sign in again; nothing typed is lost. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [ended, setEnded] = useState(false);
  const [client] = useState(createClient);
  useEffect(() => onSessionEnd(() => setEnded(true)), []);
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
