import { useCall } from '@/components/use-call';
import { listCandidates } from '@/lib/contract/candidates';

/** All candidates with what they have counted, asked again every 3 s. */
export function useCandidates() {
  return useCall(['candidates'], listCandidates, {}, { refetchInterval: 3_000 });
}
