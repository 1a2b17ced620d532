import { useEffect, useId, useState } from 'react';
import { addQuery } from '@/components/api/call';
import { Badge } from '@/components/ui/badge';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { DecisionSchema, type LoggedDecision, listDecisions } from '@/lib/contract/decisions';

type LiveState = 'off' | 'connecting' | 'live' | 'lost';

/** Streams the newest 200 decisions while `enabled`, and returns the state of the connection. */
export function useLiveDecisions(enabled: boolean, query: Record<string, string | undefined>) {
  const [rows, setRows] = useState<LoggedDecision[]>([]);
  const [state, setState] = useState<LiveState>('off');
  const address = enabled ? addQuery(listDecisions.path, query) : null;
  useEffect(() => {
    setRows([]);
    setState(address === null ? 'off' : 'connecting');
    if (address === null) return;
    const source = new EventSource(address);
    source.onopen = () => setState('live');
    source.onerror = () => setState('lost');
    source.addEventListener('decision', (event) => {
      const parsed = DecisionSchema.safeParse(JSON.parse(event.data));
      if (parsed.success) setRows((old) => [parsed.data, ...old].slice(0, 200));
    });
    return () => source.close();
  }, [address]);
  return { rows, state };
}

export function LiveSwitch({
  on,
  state,
  onChange,
}: {
  on: boolean;
  state: LiveState;
  onChange: (on: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex h-8 items-center gap-2.5">
      <span aria-live="polite" className="empty:hidden">
        {state === 'lost' ? <Badge variant="warning">connection lost, trying again</Badge> : null}
        {state === 'live' ? <Badge variant="success">streaming</Badge> : null}
      </span>
      <Label htmlFor={id}>Live</Label>
      <Switch id={id} checked={on} onCheckedChange={onChange} />
    </div>
  );
}
