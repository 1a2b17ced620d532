'use client';

import { useEffect, useState } from 'react';
import { withQuery } from '@/components/api-client';
import { DecisionSchema, type LoggedDecision, listDecisions } from '@/lib/contract/decisions';

const KEPT = 200;

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';

/** A stream of decisions, newest first, while `enabled`, and the state of its connection. */
export function useLiveDecisions(enabled: boolean, query: Record<string, string | undefined>) {
  const [rows, setRows] = useState<LoggedDecision[]>([]);
  const [state, setState] = useState<LiveState>('off');
  const address = enabled ? withQuery(listDecisions.path, query) : null;
  useEffect(() => {
    setRows([]);
    setState(address === null ? 'off' : 'connecting');
    if (address === null) return;
    const source = new EventSource(address);
    source.onopen = () => setState('live');
    source.onerror = () => setState('lost');
    source.addEventListener('decision', (event) => {
      const parsed = DecisionSchema.safeParse(JSON.parse(event.data));
      if (parsed.success) setRows((old) => [parsed.data, ...old].slice(0, KEPT));
    });
    return () => source.close();
  }, [address]);
  return { rows, state };
}
