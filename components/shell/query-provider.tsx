'use client';

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '@/components/api-client';
import { SessionEnded } from '@/components/shell/session-ended';

/** Faults that pass by themselves; anything else would be answered the same way again. */
function passes(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 502);
}

function createClient(onSessionEnd: () => void): QueryClient {
  const watch = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) onSessionEnd();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({ onError: watch }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < 2 && passes(error) && (error.retryAfter ?? 0) <= 5,
        retryDelay: (count, error) =>
          error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1000 : 500 * 2 ** count,
      },
    },
  });
}

/** The cache of what the API answered. When a session ends, one dialog asks to sign in again and nothing typed is lost. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [ended, setEnded] = useState(false);
  const [client] = useState(() => createClient(() => setEnded(true)));
  return (
    <QueryClientProvider client={client}>
      {children}
      <SessionEnded
        open={ended}
        onReturn={() => {
          setEnded(false);
          void client.invalidateQueries();
        }}
      />
    </QueryClientProvider>
  );
}
