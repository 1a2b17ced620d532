import RemoveEntryDialog from '@/components/allowlist/remove-entry-dialog';
import EndGrantDialog from '@/components/keys/end-grant-dialog';
import RemoveOverrideDialog from '@/components/overrides/remove-override-dialog';
import type { Exception } from '@/lib/contract/exceptions';

/** Removes an exemption of any kind, through the operation of its own list. */
export default function RemoveExceptionDialog({ exception, onClose }: { exception: Exception; onClose: () => void }) {
  const { kind, id, type, identifier, class: name, limit, window_seconds, requests, api_key_name, managed } = exception;
  if (kind === 'grant') {
    const grant = { id, requests: requests ?? 0, api_key_name: api_key_name ?? identifier, managed };
    return <EndGrantDialog grant={grant} onClose={onClose} />;
  }
  if (type === 'api_key') return null;
  if (name === null || limit === null || window_seconds === null) {
    return <RemoveEntryDialog entry={{ type, identifier, managed }} onClose={onClose} />;
  }
  const override = { type, identifier, class: name, limit, window_seconds, managed };
  return <RemoveOverrideDialog override={override} onClose={onClose} />;
}
