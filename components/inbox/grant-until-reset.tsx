import { useCall } from '@/components/api/use-call';
import GrantDialog from '@/components/keys/grant-dialog';
import { getApiKey } from '@/lib/contract/keys';

/** Grants a key more requests until its quota resets. */
export default function GrantUntilReset({ id, onClose }: { id: string; onClose: () => void }) {
  const { data } = useCall(['api-keys', id], getApiKey, { params: { id } });
  return data === undefined ? null : <GrantDialog row={data.value} until="reset" onClose={onClose} />;
}
