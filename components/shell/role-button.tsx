import type { ComponentProps } from 'react';
import { RoleGate } from '@/components/shell/role-gate';
import { Button } from '@/components/ui/button';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** A button that needs a role. Who has it not can still reach it, and is told why it does nothing. */
export function RoleButton({ needs, ...button }: ComponentProps<typeof Button> & { needs: MemberRole }) {
  return (
    <RoleGate needs={needs}>
      <Button {...button} />
    </RoleGate>
  );
}
