import type { ReactNode } from 'react';
import { needsRole, useMay } from '@/components/shell/member';
import { DenialProvider, useDenialWords } from '@/components/ui/denial';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Controls that need a role. Who has it not still reaches and reads them, and is told by each why it does nothing. */
export function RoleGate({ needs, children }: { needs: MemberRole; children: ReactNode }) {
  const outer = useDenialWords();
  const may = useMay(needs);
  return <DenialProvider value={may ? outer : needsRole(needs).words}>{children}</DenialProvider>;
}
