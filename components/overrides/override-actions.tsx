import { Pencil, Trash2 } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import { formatLimitNumbers, type ShownNumbers } from '@/components/named-limits/numbers-words';
import {
  buildOverrideTarget,
  identifyOverride,
  nameLimit,
  type OverrideName,
} from '@/components/overrides/override-words';
import { usePolicies } from '@/components/policies/policies';
import type { Action } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { type Override, removeOverride } from '@/lib/contract/overrides';

export const OverrideDialog = loadOnDemand(() => import('@/components/overrides/override-dialog'));

type Removed = OverrideName & ShownNumbers & Pick<Override, 'managed'>;

/** Says which limit applies once an override is removed. */
function RemovalEffect(override: Removed) {
  const { type, class: name, limit_name: limitName } = override;
  const policies = usePolicies().data?.value;
  if (name === null)
    return `The numbers of the limit ${limitName} apply again from the next check, or those of the API key or its tier.`;
  const policy = policies?.classes[name][type === 'ip' ? 'ip' : 'user'];
  const then = policy === undefined ? '' : `: ${formatLimitNumbers(override)} → ${formatLimitNumbers(policy)}`;
  return `The ${CLASS_NAMES[name]} limit of the policy applies again from the next request${then}, unless a wider override covers it.`;
}

export const OVERRIDE_ACTIONS = {
  edit: {
    label: 'Edit…',
    icon: Pencil,
    needs: 'operator',
    dialog: (row, onClose) => <OverrideDialog row={row} onClose={onClose} />,
    command: (row) => `Edit the ${nameLimit(row)} override of ${row.identifier}`,
  },
  remove: {
    label: 'Remove…',
    icon: Trash2,
    needs: 'operator',
    destructive: true,
    dialog: createReasonDialog(['overrides', 'exceptions'], (override: Removed) => {
      const { identifier } = override;
      const body = buildOverrideTarget(override);
      return {
        title: `Remove the override of ${shorten(identifier)}?`,
        description: <RemovalEffect {...override} />,
        submitLabel: 'Remove',
        managed: override.managed ? identifyOverride(override) : null,
        preview: <PreviewNote contract={removeOverride} input={{ body }} />,
        example: 'The contract has ended',
        send: (reason) => call(removeOverride, { body, query: { reason } }),
        done: `The override of ${shorten(identifier)} is removed`,
        afterwards: 'From the next request.',
      };
    }),
    command: (row) => `Remove the ${nameLimit(row)} override of ${row.identifier}`,
  },
} as const satisfies Record<string, Action<Override>>;
