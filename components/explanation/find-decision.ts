import { call } from '@/components/api/call';
import { type LoggedDecision, listDecisions } from '@/lib/contract/decisions';

/** Finds the recorded decision of a request id. Returns null if there is none. */
export async function findDecision(requestId: string, signal?: AbortSignal): Promise<LoggedDecision | null> {
  const { value } = await call(listDecisions, { query: { request_id: requestId, limit: '1' }, signal });
  return value[0] ?? null;
}
