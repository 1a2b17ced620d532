import type { BatchCall } from '@/components/batch/batch-action';
import type { Exception } from '@/lib/contract/exceptions';

/** Builds the batch item that changes the end of an exemption and keeps everything else. */
export function endException(exception: Exception, { end, reason }: { end: string | null; reason: string }) {
  const { kind, id, type, identifier } = exception;
  if (kind === 'grant') return { operation: 'extendGrant', item: { id, until: end, reason } } satisfies BatchCall;
  const item = { type, identifier, expires_at: end, reason };
  if (kind === 'allowlist') return { operation: 'extendAllowlistEntry', item } satisfies BatchCall;
  return { operation: 'extendOverride', item: { ...item, ...buildLimitFields(exception) } } satisfies BatchCall;
}

/** Builds the batch item that removes an exemption of any kind. */
export function removeException(exception: Exception, { reason }: { reason: string }) {
  const { kind, id, type, identifier } = exception;
  if (kind === 'grant') return { operation: 'removeGrant', item: { id, reason } } satisfies BatchCall;
  if (kind === 'allowlist')
    return { operation: 'removeAllowlistEntry', item: { type, identifier, reason } } satisfies BatchCall;
  return {
    operation: 'removeOverride',
    item: { type, identifier, ...buildLimitFields(exception), reason },
  } satisfies BatchCall;
}

/** Names the class or the named limit of an override. */
const buildLimitFields = ({ class: name, limit_name }: Exception) => (name === null ? { limit_name } : { class: name });
