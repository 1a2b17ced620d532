import { Pencil } from 'lucide-react';
import { CallError } from '@/components/api/call';
import { useSettled } from '@/components/api/use-settled';
import { RelativeTime } from '@/components/format/relative-time';
import type { Target } from '@/components/links/target';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { parseIdentifier } from '@/lib/contract/fields/identifier';

/** Pause in typing after which an identifier is looked up, in milliseconds. */
const PAUSE = 250;

/** Returns the typed identifier in canonical form once typing pauses. Null if it is not a valid identifier. */
export function useSettledTarget({ type, identifier }: Target, toCanonical = parseIdentifier): Target | null {
  const settled = useSettled(identifier, PAUSE);
  const canonical = toCanonical(type, type === 'ip' ? settled.trim() : settled);
  return canonical === null ? null : { type, identifier: canonical };
}

interface ExistingEntryProps {
  /** Title of the note: `Already on the allowlist`. */
  what: string;
  entry: { reason: string; expires_at: string | null; created_by: string };
  onEdit: () => void;
}

/** Notes that the entry already exists, and offers to edit it. */
export function ExistingEntry({ what, entry, onEdit }: ExistingEntryProps) {
  return (
    <Alert variant="warning" title={what}>
      <p className="break-words">
        “{entry.reason}”, added by {entry.created_by},{' '}
        {entry.expires_at === null ? (
          'with no expiry'
        ) : (
          <>
            ends <RelativeTime at={entry.expires_at} />
          </>
        )}
        .
      </p>
      <Button variant="outline" size="sm" className="mt-1.5 text-foreground" onClick={onEdit}>
        <Pencil aria-hidden /> Edit it
      </Button>
    </Alert>
  );
}

/**
 * Builds the error that refuses to overwrite an entry which another member added first. It is shown at the identifier.
 */
export function createConflictError(message: string): CallError {
  return new CallError({
    status: 409,
    error: 'conflict',
    description: message,
    details: [{ path: 'identifier', message }],
  });
}
