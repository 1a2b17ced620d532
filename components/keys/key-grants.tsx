import { useCall } from '@/components/api/use-call';
import type { Selection } from '@/components/batch/batch-action';
import { endAction, removeAction } from '@/components/batch/common-actions';
import { MarkAll, useMarks } from '@/components/batch/use-selection';
import { Timestamp } from '@/components/format/timestamp';
import { GRANT_ACTIONS } from '@/components/keys/grant-actions';
import { useRunAction } from '@/components/shell/action';
import { RoleButton } from '@/components/shell/role-button';
import { listGrants, type QuotaGrant } from '@/lib/contract/grants';
import { formatNumber } from '@/lib/format-number';

const SELECTION: Selection<QuotaGrant> = {
  nouns: ['grant', 'grants'],
  id: ({ id }) => id,
  name: ({ requests, until, reason }) => `+${formatNumber(requests)} until ${until.slice(0, 10)}: ${reason}`,
  target: ({ api_key: key }) => key,
  isManaged: ({ managed }) => managed === true,
  changes: ['api-keys', 'exceptions'],
  actions: [
    endAction({
      example: 'The campaign goes on',
      asks: 'end',
      buildCall: ({ id }, { end, reason }) => ({ operation: 'extendGrant', item: { id, until: end, reason } }),
    }),
    removeAction({
      label: 'End…',
      title: (what) => `End ${what}?`,
      submitLabel: 'End grants',
      description: 'The limit of the key is lower from the next request. Usage does not change.',
      example: 'The campaign ended early',
      done: (what) => `${what} ended`,
      buildCall: ({ id }, { reason }) => ({ operation: 'removeGrant', item: { id, reason } }),
    }),
  ],
};

/** Lists the active grants of a key with their ends. */
export function KeyGrants({ id, granted }: { id: string; granted: number }) {
  const run = useRunAction();
  const grants = useCall(['api-keys', id, 'grants'], listGrants, { query: { api_key: id } }, { enabled: granted > 0 });
  const active = granted > 0 ? (grants.data?.value ?? []) : [];
  const { marks, bar } = useMarks(SELECTION, { label: 'grants', rows: active });
  if (active.length === 0) return null;
  return (
    <>
      {active.length > 1 ? <MarkAll marks={marks} /> : null}
      <ul aria-label="Grants" className="flex flex-col gap-2 rounded-md bg-primary-soft px-3 py-2 text-sm">
        {active.map((grant) => (
          <li key={grant.id} className="flex items-center justify-between gap-3">
            {active.length > 1 ? marks?.rowBox(grant) : null}
            <span className="min-w-0 flex-1">
              <span className="font-medium tabular-nums">+{formatNumber(grant.requests)}</span> until{' '}
              <Timestamp at={grant.until} />: {grant.reason}
            </span>
            <RoleButton needs="operator" variant="ghost" size="sm" onClick={() => run(GRANT_ACTIONS.end, grant)}>
              End
            </RoleButton>
          </li>
        ))}
      </ul>
      {bar}
    </>
  );
}
