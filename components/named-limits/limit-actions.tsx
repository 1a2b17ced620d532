import { Pencil, Trash2 } from 'lucide-react';
import { call } from '@/components/api/call';
import { PreviewNote } from '@/components/form/preview-note';
import { createReasonDialog } from '@/components/form/use-reason-dialog';
import { describeLimit } from '@/components/named-limits/limit-sentence';
import { type Action, loadDialog } from '@/components/shell/action';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { type NamedLimit, removeLimit } from '@/lib/contract/named-limits';

const loadDialogs = () => import('@/components/named-limits/limit-dialogs');

export const NewLimitDialog = loadOnDemand(() => loadDialogs().then((file) => file.NewLimitDialog));

export const LIMIT_ACTIONS = {
  edit: {
    label: 'Edit…',
    icon: Pencil,
    needs: 'owner',
    dialog: loadDialog(() => loadDialogs().then((file) => file.EditLimitDialog)),
    command: ({ name }) => `Edit the limit ${name}`,
    keywords: ['raise', 'lower', 'change', 'windows'],
  },
  remove: {
    label: 'Remove…',
    icon: Trash2,
    needs: 'owner',
    destructive: true,
    dialog: createReasonDialog(['limits', 'counters', 'api-keys'], (limit) => ({
      title: `Remove ${limit.name}?`,
      description: describeLimit(limit),
      submitLabel: 'Remove limit',
      preview: <PreviewNote contract={removeLimit} input={{ params: { name: limit.name } }} />,
      example: 'The provider limits it now',
      send: (reason) => call(removeLimit, { params: { name: limit.name }, query: { reason } }),
      done: `${limit.name} is removed`,
      afterwards: 'From the next request.',
    })),
    command: ({ name }) => `Remove the limit ${name}`,
    keywords: ['delete', 'end'],
  },
} as const satisfies Record<string, Action<NamedLimit>>;
