import { useQueryClient } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { useCall } from '@/components/api/use-call';
import type { Selection } from '@/components/batch/batch-action';
import { MarkAll, useMarks } from '@/components/batch/use-selection';
import { useConfirm } from '@/components/form/confirm-dialog';
import { RelativeTime } from '@/components/format/relative-time';
import { ListError } from '@/components/list/list-error';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { toast } from '@/components/ui/toast';
import { endOtherSessions, endOwnSession, listOwnSessions, type OwnSession } from '@/lib/contract/session';

const KEY = 'own-sessions';

const SELECTION: Selection<OwnSession> = {
  nouns: ['session', 'sessions'],
  id: ({ id }) => id,
  name: ({ device, address }) => `the session of ${device} at ${address ?? 'an unknown address'}`,
  target: ({ id }) => id,
  canSelect: ({ current }) => !current,
  changes: [KEY],
  actions: [
    {
      label: 'End…',
      icon: LogOut,
      needs: 'viewer',
      destructive: true,
      title: (what) => `End ${what}?`,
      description: 'These browsers have to sign in again.',
      submitLabel: 'End sessions',
      done: (what) => `${what} ended`,
      afterwards: 'They have to sign in again.',
      each: ({ id }) => call(endOwnSession, { params: { id } }),
    },
  ],
};

/** Lists the member's sessions. */
export function SessionsCard() {
  const { data, error, refetch } = useCall([KEY], listOwnSessions, {});
  const confirm = useConfirm(KEY);
  const { marks, bar } = useMarks(SELECTION, { label: 'sessions', rows: data?.value ?? [] });
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-40 rounded-lg" />;
  const sessions = [...data.value].sort((a, b) => Number(b.current) - Number(a.current));
  const endOthers = () =>
    confirm({
      title: 'End all other sessions?',
      description: 'Every other browser in which you are signed in has to sign in again.',
      confirmLabel: 'End other sessions',
      confirm: () => call(endOtherSessions, {}),
      done: 'Your other sessions have ended',
    });
  return (
    <TitledCard
      title="Sessions"
      aside={
        sessions.length > 1 ? (
          <Button variant="outline" size="sm" onClick={endOthers}>
            End all others
          </Button>
        ) : null
      }
      className="px-0 pb-1"
    >
      {sessions.length > 2 ? (
        <div className="border-t px-4 py-2">
          <MarkAll marks={marks} />
        </div>
      ) : null}
      <ul aria-label="Sessions" className="divide-y border-t">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} mark={sessions.length > 2 ? marks?.rowBox(session) : null} />
        ))}
      </ul>
      {bar}
    </TitledCard>
  );
}

/** Describes how a session began, unless it was a sign-in with password. */
const BEGAN: Readonly<Record<NonNullable<OwnSession['method']>, string | null>> = {
  password: null,
  code: null,
  invitation: 'by invitation',
  github: 'with GitHub',
  oidc: 'with the provider',
};

function SessionRow({ session, mark }: { session: OwnSession; mark: ReactNode }) {
  const { id, current, device, address, method, created_at, last_seen_at } = session;
  const queries = useQueryClient();
  const [pending, setPending] = useState(false);
  const end = async () => {
    setPending(true);
    try {
      await call(endOwnSession, { params: { id } });
      toast.success('The session has ended', { description: device });
    } catch (error) {
      showErrorToast(error);
    }
    await queries.invalidateQueries({ queryKey: [KEY] });
    setPending(false);
  };
  const began = method === null ? null : BEGAN[method];
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-sm">
      {mark}
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {device}
          {current ? <Badge variant="primary">this browser</Badge> : null}
        </p>
        <p className="text-xs text-muted-foreground">
          <span className="font-mono break-all">{address ?? 'unknown address'}</span> · signed in
          {began ? ` ${began}` : ''} <RelativeTime at={created_at} />
          {current ? null : (
            <>
              {' '}
              · last seen <RelativeTime at={last_seen_at} />
            </>
          )}
        </p>
      </div>
      {current ? null : (
        <Button
          variant="ghost"
          size="sm"
          pending={pending}
          aria-label={`End the session of ${device} at ${address ?? 'an unknown address'}`}
          onClick={() => void end()}
        >
          End
        </Button>
      )}
    </li>
  );
}
