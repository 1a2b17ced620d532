import { RoleButton } from '@/components/shell/role-button';
import { Alert } from '@/components/ui/alert';
import { Link } from '@/components/ui/link';

/**
 * Notes that candidate rules are active besides the saved ones. `onEdit` loads them into the editor; null if that is
 * not allowed.
 */
export default function CandidateRulesNote({ onEdit }: { onEdit: (() => void) | null }) {
  return (
    <Alert>
      <span className="flex flex-wrap items-baseline gap-x-3">
        Other candidate rules exist.
        <Link href="/limits?tab=candidates" className="underline underline-offset-4">
          Candidates
        </Link>
        {onEdit === null ? null : (
          <RoleButton
            needs="owner"
            variant="ghost"
            size="inline"
            className="font-normal underline underline-offset-4"
            onClick={onEdit}
          >
            Edit them
          </RoleButton>
        )}
      </span>
    </Alert>
  );
}
