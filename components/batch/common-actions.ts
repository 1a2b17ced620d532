import { CalendarClock, Trash2 } from 'lucide-react';
import type { BatchAction } from '@/components/batch/batch-action';

type Parts<Row, Own extends keyof BatchAction<Row>> = Pick<BatchAction<Row>, Own> & Partial<BatchAction<Row>>;

/** Gives allowlist entries, overrides or grants another end. */
export function endAction<Row>(parts: Parts<Row, 'asks' | 'example' | 'callOf'>): BatchAction<Row> {
  return {
    label: 'Change end…',
    icon: CalendarClock,
    needs: 'operator',
    title: (what) => `Change the end of ${what}`,
    description: 'Only the end and the reason change.',
    submitLabel: 'Change end',
    done: (what) => `The end of ${what} is changed`,
    ...parts,
  };
}

/** Removes rows of any list. */
export function removeAction<Row>(parts: Parts<Row, 'description' | 'example' | 'callOf'>): BatchAction<Row> {
  return {
    label: 'Remove…',
    icon: Trash2,
    needs: 'operator',
    destructive: true,
    title: (what) => `Remove ${what}?`,
    submitLabel: 'Remove',
    done: (what) => `${what} removed`,
    ...parts,
  };
}
