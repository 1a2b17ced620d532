'use client';

import { History, Trash2 } from 'lucide-react';
import { RelativeTime } from '@/components/format/relative-time';
import { EmptyState } from '@/components/list/empty-state';
import { ENDPOINTS } from '@/components/oauth/builder/request-fields';
import type { SessionRequest } from '@/components/oauth/builder/session';
import { clearSession, useBuilder } from '@/components/oauth/builder/use-builder';
import { StatusBadge } from '@/components/oauth/exchange-list';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';

/** The requests of this browser tab's session, newest first. */
export function HistoryView({ onOpen }: { onOpen: (request: SessionRequest) => void }) {
  const { state, dispatch } = useBuilder();
  if (state.history.length === 0) {
    return (
      <EmptyState icon={History} title="Nothing was sent yet">
        Every request of this session is kept here, in this browser tab only.
      </EmptyState>
    );
  }
  const forget = () => {
    clearSession();
    dispatch({ type: 'forget' });
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm text-muted-foreground">Kept in this browser tab, until it is closed.</p>
        <Button variant="outline" size="sm" onClick={forget}>
          <Trash2 aria-hidden /> Forget all
        </Button>
      </div>
      <ol className="divide-y rounded-md border">
        {state.history.toReversed().map((request) => (
          <li key={request.id}>
            <button
              type="button"
              onClick={() => onOpen(request)}
              className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-left text-sm hover:bg-accent focus-visible:-outline-offset-2"
            >
              {request.answer.kind === 'answer' ? (
                <StatusBadge status={request.answer.status} />
              ) : (
                <Badge variant="destructive">no answer</Badge>
              )}
              <span className="font-mono text-xs">{ENDPOINTS[request.tab]}</span>
              <span className="text-xs text-muted-foreground">
                {request.off.length === 0 ? 'every control on' : `${request.off.length} off`}
                {request.secure ? ' · compared' : ''}
              </span>
              <RelativeTime at={new Date(request.at).toISOString()} className="ml-auto text-xs text-muted-foreground" />
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
