import { useCall } from '@/components/api/use-call';
import { getQuota } from '@/lib/contract/quota';

/** Reads a key's current quota when a dialog opens, with the entity tag of the key. */
export function useQuota(id: string) {
  return useCall(['api-keys', id, 'quota'], getQuota, { params: { api_key: id } }, { staleTime: 0 });
}
