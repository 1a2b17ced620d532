import { Instant } from '@/components/format/instant';
import { formatNumber } from '@/components/format/number';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { useCall } from '@/components/use-call';
import { listGrants } from '@/lib/contract/grants';

const EndGrantDialog = onDemand(() => import('@/components/keys/end-grant-dialog'));

/** The grants of a key that are active, each with its end. */
export function KeyGrants({ id, granted }: { id: string; granted: number }) {
  const open = useDialog();
  const grants = useCall(['api-keys', id, 'grants'], listGrants, { query: { api_key: id } }, { enabled: granted > 0 });
  const active = granted > 0 ? (grants.data?.value ?? []) : [];
  if (active.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2 rounded-md bg-primary-soft px-3 py-2 text-sm">
      {active.map((grant) => (
        <li key={grant.id} className="flex items-center justify-between gap-3">
          <span className="min-w-0">
            <span className="font-medium tabular-nums">+{formatNumber(grant.requests)}</span> until{' '}
            <Instant at={grant.until} />: {grant.reason}
          </span>
          <RoleButton
            needs="operator"
            variant="ghost"
            size="sm"
            onClick={() => open((onClose) => <EndGrantDialog grant={grant} onClose={onClose} />)}
          >
            End
          </RoleButton>
        </li>
      ))}
    </ul>
  );
}
