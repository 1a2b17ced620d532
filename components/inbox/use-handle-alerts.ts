import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type CallAnswer, call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { useUndo } from '@/components/api/use-undo';
import { type Alert, acknowledgeAlerts, reopenAlerts } from '@/lib/contract/alerts';

/** Acknowledges the alerts of an object, or snoozes them until a time. */
export const acknowledge = (object: string, until: string | null) =>
  call(acknowledgeAlerts, { body: { object, until } });

export const reopen = (object: string) => call(reopenAlerts, { body: { object } });

/** Returns the functions that acknowledge, snooze and reopen the alerts of an object. Each offers an undo. */
export function useHandleAlerts({ id, name }: Alert['object']) {
  const queries = useQueryClient();
  const { offer } = useUndo();
  const [isPending, setPending] = useState(false);
  const run = async (title: string, send: () => Promise<CallAnswer<unknown>>) => {
    setPending(true);
    try {
      const { auditSeq } = await send();
      await queries.invalidateQueries({ queryKey: ['alerts'] });
      offer({ title, auditSeq });
    } catch (error) {
      showErrorToast(error);
    }
    setPending(false);
  };
  return {
    isPending,
    /** Acknowledges the alerts, or snoozes them until a time. */
    acknowledge: (until: string | null) =>
      run(until === null ? `${name} is acknowledged` : `${name} is snoozed`, () => acknowledge(id, until)),
    reopen: () => run(`${name} is open again`, () => reopen(id)),
  };
}
