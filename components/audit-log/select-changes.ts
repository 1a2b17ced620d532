import { Undo2 } from 'lucide-react';
import { formatAuditSentence } from '@/components/audit-log/sentences';
import type { Selection } from '@/components/batch/batch-action';
import { type Selectable, useSelection } from '@/components/batch/use-selection';
import type { AuditRecord } from '@/lib/contract/audit-log';

const SELECTION: Selection<AuditRecord> = {
  nouns: ['change', 'changes'],
  id: ({ seq }) => String(seq),
  name: (record) => `change ${record.seq}: ${formatAuditSentence(record)}`,
  target: ({ target }) => target,
  canSelect: ({ undo }) => undo.possible,
  actions: [
    {
      label: 'Undo…',
      icon: Undo2,
      needs: 'operator',
      title: (what) => `Undo ${what}?`,
      description: 'The values from before these changes are restored.',
      submitLabel: 'Undo changes',
      example: 'The wrong list was imported',
      done: (what) => `${what} undone`,
      buildCall: ({ seq }, { reason }) => ({ operation: 'undoChange', item: { seq, reason } }),
    },
  ],
};

/** Selects changes, to undo many at once. */
export const useChangeSelection = (list: Selectable<AuditRecord>) => useSelection(SELECTION, list);
