import { ALLOWLIST_ACTIONS } from '@/components/allowlist/allowlist-actions';
import { GRANT_ACTIONS } from '@/components/keys/grant-actions';
import { OVERRIDE_ACTIONS } from '@/components/overrides/override-actions';
import type { Exception } from '@/lib/contract/exceptions';

/** Dialog that removes an exemption of any kind, which is that of its own list. */
export function removeDialog(exception: Exception, onClose: () => void) {
  const { kind, id, type, identifier, class: name, limit, window_seconds, requests, api_key_name, managed } = exception;
  if (kind === 'grant') {
    const grant = { id, requests: requests ?? 0, api_key_name: api_key_name ?? identifier, managed };
    return GRANT_ACTIONS.end.dialog(grant, onClose);
  }
  if (type === 'api_key') return null;
  if (name === null || limit === null || window_seconds === null)
    return ALLOWLIST_ACTIONS.remove.dialog({ type, identifier, managed }, onClose);
  return OVERRIDE_ACTIONS.remove.dialog({ type, identifier, class: name, limit, window_seconds, managed }, onClose);
}
