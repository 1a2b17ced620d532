import type { Member } from '@/lib/contract/members';

/** What a dialog about a member is given. */
export interface MemberDialogProps {
  member: Member;
  onClose: () => void;
}
