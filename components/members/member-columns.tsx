'use client';

import { RelativeTime } from '@/components/format/relative-time';
import { listColumns } from '@/components/list/table-features';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { NativeSelect } from '@/components/ui/native-select';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import type { Member } from '@/lib/contract/members';

const column = listColumns<Member>();
const ROLES = ['viewer', 'operator', 'owner'] as const satisfies readonly MemberRole[];

/** The columns of the members. */
export function memberColumns({
  owner,
  selfId,
  onRole,
  onUnbind,
  onRemove,
}: {
  owner: boolean;
  selfId: string;
  onRole: (member: Member, role: MemberRole) => void;
  onUnbind: (member: Member) => void;
  onRemove: (member: Member) => void;
}) {
  return column.columns([
    column.accessor('email', {
      header: 'Member',
      cell: ({ row: { original } }) => (
        <div className="max-w-72 py-1 max-sm:max-w-36">
          <p className="flex items-center gap-2 font-medium">
            <span className="truncate">{original.name ?? original.email}</span>
            {original.id === selfId ? <Badge variant="outline">you</Badge> : null}
          </p>
          {original.name ? <p className="truncate text-xs text-muted-foreground">{original.email}</p> : null}
        </div>
      ),
      meta: { className: 'w-full' },
    }),
    column.accessor('role', {
      header: 'Role',
      cell: ({ row: { original } }) => (
        <NativeSelect
          aria-label={`Role of ${original.email}`}
          className="w-28 max-sm:w-24"
          value={original.role}
          disabled={!owner}
          onChange={(event) => {
            const role = ROLES.find((one) => one === event.target.value);
            if (role) onRole(original, role);
          }}
        >
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {role.charAt(0).toUpperCase() + role.slice(1)}
            </option>
          ))}
        </NativeSelect>
      ),
    }),
    column.accessor((row) => row.last_sign_in_at ?? '', {
      id: 'last_sign_in_at',
      header: 'Last sign-in',
      cell: ({ row: { original } }) =>
        original.last_sign_in_at ? (
          <RelativeTime at={original.last_sign_in_at} className="text-muted-foreground" />
        ) : (
          <span className="text-muted-foreground">never</span>
        ),
      meta: { className: 'max-md:hidden' },
    }),
    column.display({
      id: 'actions',
      header: () => <span className="sr-only">Actions</span>,
      cell: ({ row: { original } }) => (
        <div className="flex justify-end max-sm:flex-col">
          {original.provider_accounts.length > 0 ? (
            <Button
              variant="ghost"
              size="sm"
              disabled={!owner}
              onClick={() => onUnbind(original)}
              aria-label={`Unbind the provider account of ${original.email}`}
            >
              Unbind
            </Button>
          ) : null}
          <Button
            variant="ghost"
            size="sm"
            disabled={!owner}
            onClick={() => onRemove(original)}
            aria-label={`Remove ${original.email}`}
          >
            Remove
          </Button>
        </div>
      ),
      meta: { className: 'w-0 text-right' },
    }),
  ]);
}
