import { Pencil, Trash2 } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { reasonDialog } from '@/components/form/use-reason-dialog';
import { formatWindow } from '@/components/format/duration';
import { formatNumber } from '@/components/format/number';
import { usePolicies } from '@/components/policies/policies';
import type { Action } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { type Override, removeOverride } from '@/lib/contract/overrides';
import type { Limit } from '@/lib/contract/policies';

export const OverrideDialog = loadOnDemand(() => import('@/components/overrides/override-dialog'));

type Removed = Pick<Override, 'type' | 'identifier' | 'class' | 'limit' | 'window_seconds' | 'managed'>;

const limitWords = ({ limit, window_seconds }: Limit) => `${formatNumber(limit)} in ${formatWindow(window_seconds)}`;

/** Says which limit applies once an override is removed. */
function RemovalEffect(override: Removed) {
  const { type, class: name } = override;
  const policy = usePolicies().data?.value.classes[name][type === 'ip' ? 'ip' : 'user'];
  const then = policy === undefined ? '' : `: ${limitWords(override)} → ${limitWords(policy)}`;
  return `The ${CLASS_NAMES[name]} limit of the policy applies again from the next request${then}, unless a wider override covers it.`;
}

export const OVERRIDE_ACTIONS = {
  edit: {
    label: 'Edit…',
    icon: Pencil,
    needs: 'operator',
    dialog: (row, onClose) => <OverrideDialog row={row} onClose={onClose} />,
    command: (row) => `Edit the ${CLASS_NAMES[row.class]} override of ${row.identifier}`,
  },
  remove: {
    label: 'Remove…',
    icon: Trash2,
    needs: 'operator',
    destructive: true,
    dialog: reasonDialog(['overrides', 'exceptions'], (override: Removed) => {
      const { type, identifier, class: endpointClass } = override;
      const body = { type, identifier, class: endpointClass };
      return {
        title: `Remove the override of ${shorten(identifier)}?`,
        description: <RemovalEffect {...override} />,
        submitLabel: 'Remove',
        managed: override.managed ? { kind: 'overrides', id: `${type} ${identifier} ${endpointClass}` } : null,
        preview: <PreviewNote contract={removeOverride} input={{ body }} />,
        example: 'The contract has ended',
        send: (reason) => call(removeOverride, { body, query: { reason } }),
        done: `The override of ${shorten(identifier)} is removed`,
        afterwards: 'From the next request.',
      };
    }),
    command: (row) => `Remove the ${CLASS_NAMES[row.class]} override of ${row.identifier}`,
  },
} as const satisfies Record<string, Action<Override>>;
