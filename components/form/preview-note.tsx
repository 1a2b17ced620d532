import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { preview } from '@/components/api/call';
import { useSettled } from '@/components/api/use-settled';
import { useSlow } from '@/components/api/use-slow';
import { PreviewFault } from '@/components/form/preview-fault';
import { DatedText } from '@/components/format/dated-text';
import { cn } from '@/components/ui/cn';
import type { CallInput, Contract } from '@/lib/contract/operation';
import type { Preview } from '@/lib/contract/preview';
import { HOUR } from '@/lib/units';

/** Returns an end that every policy allows, for the preview of an exemption: its effect does not depend on the end. */
export function usePreviewEnd(): string {
  const [end] = useState(() => new Date(Date.now() + HOUR).toISOString());
  return end;
}

function describeEffects({ changes }: Preview): string {
  if (changes.length === 0) return 'This changes nothing.';
  return changes.flatMap(({ effect }) => effect ?? []).join(' ') || 'No request of the last hour is affected.';
}

/**
 * Shows the traffic that a change would affect, from its dry run. It says so while the dry run takes long, and if it
 * fails. Its height stays while another input is computed. Renders nothing if the input is null.
 */
export function PreviewNote<const C extends Contract>({
  contract,
  input,
}: {
  contract: C;
  input: Pick<CallInput<C>, 'params' | 'body'> | null;
}) {
  const serialized = input === null ? null : JSON.stringify(input);
  const text = useSettled(serialized);
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ['preview', contract.id, text],
    queryFn: ({ signal }) => preview(contract, { ...JSON.parse(text ?? '{}'), signal }),
    enabled: text !== null,
    placeholderData: keepPreviousData,
    // Without a network it fails, instead of waiting for one.
    networkMode: 'always',
    retry: false,
  });
  const isOld = text !== serialized || isPlaceholderData || data === undefined;
  const isFailed = text === serialized && error !== null && data === undefined;
  const isSlow = useSlow(serialized !== null && isOld && !isFailed);
  return (
    <div aria-live="polite" className="empty:hidden">
      {serialized === null ? null : isFailed ? (
        <PreviewFault error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="grid min-h-9 rounded-md bg-muted px-3 py-2 text-sm tabular-nums *:col-start-1 *:row-start-1">
          {data ? (
            <p className={cn(isOld && 'invisible')}>
              <DatedText>{describeEffects(data)}</DatedText>
            </p>
          ) : null}
          {isSlow ? <p className="text-muted-foreground">Reading the traffic of the last hour…</p> : null}
        </div>
      )}
    </div>
  );
}
