import type { Member } from '@/lib/contract/members';

/** Props of a dialog about a member. */
export interface MemberDialogProps {
  member: Member;
  onClose: () => void;
}
