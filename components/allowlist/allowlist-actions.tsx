import { Pencil, Trash2 } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import type { Action } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { shorten } from '@/components/ui/shorten';
import { type AllowlistEntry, removeAllowlistEntry } from '@/lib/contract/allowlist';

export const AllowlistDialog = loadOnDemand(() => import('@/components/allowlist/allowlist-dialog'));

export const ALLOWLIST_ACTIONS = {
  edit: {
    label: 'Edit reason and expiry…',
    icon: Pencil,
    needs: 'operator',
    dialog: (row, onClose) => <AllowlistDialog row={row} onClose={onClose} />,
    command: ({ identifier }) => `Edit the allowlist entry of ${identifier}`,
  },
  remove: {
    label: 'Remove…',
    icon: Trash2,
    needs: 'operator',
    destructive: true,
    dialog: createReasonDialog(
      ['allowlist', 'exceptions'],
      ({ type, identifier, managed }: Pick<AllowlistEntry, 'type' | 'identifier' | 'managed'>) => ({
        title: `Remove ${shorten(identifier)} from the allowlist?`,
        description: 'Its limits apply again from the next request, unless a wider range covers it.',
        submitLabel: 'Remove',
        managed: managed ? { kind: 'allowlist', id: `${type} ${identifier}` } : null,
        preview: <PreviewNote contract={removeAllowlistEntry} input={{ body: { type, identifier } }} />,
        example: 'The migration is over',
        send: (reason) => call(removeAllowlistEntry, { body: { type, identifier }, query: { reason } }),
        done: `${shorten(identifier)} was removed`,
        afterwards: 'Its limits apply again from the next request.',
      }),
    ),
    command: ({ identifier }) => `Remove ${identifier} from the allowlist`,
  },
} as const satisfies Record<string, Action<AllowlistEntry>>;
