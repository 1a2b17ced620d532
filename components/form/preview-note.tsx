import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { preview } from '@/components/api/call';
import { useSettled } from '@/components/api/use-settled';
import type { CallInput, Contract } from '@/lib/contract/operation';

const HOUR = 3_600_000;

/** Returns an end that every policy allows, for the preview of an exemption: its effect does not depend on the end. */
export function usePreviewEnd(): string {
  const [end] = useState(() => new Date(Date.now() + HOUR).toISOString());
  return end;
}

/**
 * Shows the traffic that a change would affect, from its dry run. Renders nothing if no traffic matches or the input is
 * null.
 */
export function PreviewNote<const C extends Contract>({
  contract,
  input,
}: {
  contract: C;
  input: Pick<CallInput<C>, 'params' | 'body'> | null;
}) {
  const text = useSettled(input === null ? null : JSON.stringify(input));
  const foreseen = useQuery({
    queryKey: ['preview', contract.id, text],
    queryFn: ({ signal }) => preview(contract, { ...JSON.parse(text ?? '{}'), signal }),
    enabled: text !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const effects = input === null ? [] : (foreseen.data?.changes ?? []).flatMap(({ effect }) => effect ?? []);
  return (
    <div aria-live="polite" className="empty:hidden">
      {effects.length === 0 ? null : (
        <p className="rounded-md bg-muted px-3 py-2 text-sm tabular-nums">{effects.join(' ')}</p>
      )}
    </div>
  );
}
