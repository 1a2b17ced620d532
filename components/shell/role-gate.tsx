import type { ReactNode } from 'react';
import { describeMissingRole, useHasRole } from '@/components/shell/member';
import { DenialProvider, useDenialWords } from '@/components/ui/denial';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/**
 * Wraps controls that need a role. Without the role they stay focusable and readable, and each explains why it is
 * disabled.
 */
export function RoleGate({ needs, children }: { needs: MemberRole; children: ReactNode }) {
  const outer = useDenialWords();
  const may = useHasRole(needs);
  return <DenialProvider value={may ? outer : describeMissingRole(needs).words}>{children}</DenialProvider>;
}
