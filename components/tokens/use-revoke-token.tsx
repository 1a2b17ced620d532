import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { type AdminToken, revokeToken } from '@/lib/contract/tokens';

/** Asks for a reason, then revokes a token. */
export function useRevokeToken(): (token: Pick<AdminToken, 'id' | 'name'>) => void {
  const ask = useReasonDialog('tokens');
  return ({ id, name }) =>
    ask({
      title: `Revoke ${name}?`,
      description: 'Calls with this token are refused from now on.',
      submitLabel: 'Revoke token',
      preview: <PreviewNote contract={revokeToken} input={{ params: { id } }} />,
      example: 'The pipeline moved to another token',
      send: (reason) => call(revokeToken, { params: { id }, query: { reason } }),
      done: `${name} is revoked`,
    });
}
