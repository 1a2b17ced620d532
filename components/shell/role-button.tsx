import type { ComponentProps } from 'react';
import { RoleGate } from '@/components/shell/role-gate';
import { Button } from '@/components/ui/button';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Button that needs a role. Without the role it stays focusable and explains why it is disabled. */
export function RoleButton({ needs, ...button }: ComponentProps<typeof Button> & { needs: MemberRole }) {
  return (
    <RoleGate needs={needs}>
      <Button {...button} />
    </RoleGate>
  );
}
