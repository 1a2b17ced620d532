import { useCall } from '@/components/api/use-call';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import { getQuota } from '@/lib/contract/quota';

export interface KeyDialogProps {
  apiKey: ApiKeyWithUsage;
  onClose: () => void;
}

/** Reads a key's current quota when a dialog opens, with the entity tag of the key. */
export function useQuota(id: string) {
  return useCall(['api-keys', id, 'quota'], getQuota, { params: { api_key: id } }, { staleTime: 0 });
}
