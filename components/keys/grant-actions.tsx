import { CalendarX } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import type { Action } from '@/components/shell/action';
import { type QuotaGrant, removeGrant } from '@/lib/contract/grants';
import { formatNumber } from '@/lib/format-number';

export const GRANT_ACTIONS = {
  end: {
    label: 'End grant…',
    icon: CalendarX,
    needs: 'operator',
    dialog: createReasonDialog(
      ['api-keys', 'exceptions'],
      (grant: Pick<QuotaGrant, 'id' | 'requests' | 'api_key_name' | 'managed'>) => ({
        title: `End the grant of ${grant.api_key_name}?`,
        description: `Its limit is ${formatNumber(grant.requests)} lower from the next request. Usage does not change.`,
        submitLabel: 'End grant',
        mild: true,
        managed: grant.managed ? { kind: 'grants', id: grant.api_key_name } : null,
        preview: <PreviewNote contract={removeGrant} input={{ body: { id: grant.id } }} />,
        example: 'The campaign ended early',
        send: (reason) => call(removeGrant, { query: { reason }, body: { id: grant.id } }),
        done: `The grant of ${grant.api_key_name} has ended`,
      }),
    ),
    command: ({ api_key_name }) => `End the grant of ${api_key_name}`,
    note: ({ requests }) => `+${formatNumber(requests)}`,
  },
} as const satisfies Record<string, Action<QuotaGrant>>;
