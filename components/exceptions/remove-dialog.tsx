import { ALLOWLIST_ACTIONS } from '@/components/allowlist/allowlist-actions';
import { GRANT_ACTIONS } from '@/components/keys/grant-actions';
import { OVERRIDE_ACTIONS } from '@/components/overrides/override-actions';
import type { RowDialogProps } from '@/components/shell/action';
import type { Exception } from '@/lib/contract/exceptions';

/** Removes an exemption, with the dialog of its kind. */
export default function RemoveDialog({ row, onClose }: RowDialogProps<Exception>) {
  const { kind, id, type, identifier, limit, window_seconds, requests, api_key_name, managed } = row;
  if (kind === 'grant') {
    const grant = { id, requests: requests ?? 0, api_key_name: api_key_name ?? identifier, managed };
    return GRANT_ACTIONS.end.dialog(grant, onClose);
  }
  if (type === 'api_key') return null;
  if (kind === 'override')
    return OVERRIDE_ACTIONS.remove.dialog(
      { ...row, type, limit: limit ?? 0, window_seconds: window_seconds ?? 0 },
      onClose,
    );
  return type === 'subject' ? null : ALLOWLIST_ACTIONS.remove.dialog({ type, identifier, managed }, onClose);
}
