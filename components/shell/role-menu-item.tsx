import type { ComponentProps } from 'react';
import { describeMissingRole, useHasRole } from '@/components/shell/member';
import { DropdownMenuItem } from '@/components/ui/dropdown-menu';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

interface RoleMenuItemProps
  extends Required<Pick<ComponentProps<typeof DropdownMenuItem>, 'icon' | 'label'>>,
    Pick<ComponentProps<typeof DropdownMenuItem>, 'destructive' | 'onSelect' | 'disabled'> {
  needs: MemberRole;
}

/** Menu item that needs a role. Without the role it stays focusable and names that role. */
export function RoleMenuItem({ needs, ...item }: RoleMenuItemProps) {
  const { icon: Icon, label } = item;
  if (useHasRole(needs)) return <DropdownMenuItem {...item} />;
  return (
    <DropdownMenuItem aria-disabled className="text-muted-foreground" onSelect={(event) => event.preventDefault()}>
      <Icon aria-hidden className="opacity-50" />
      <span>
        {label}
        <span className="block text-xs">{describeMissingRole(needs).words}</span>
      </span>
    </DropdownMenuItem>
  );
}
