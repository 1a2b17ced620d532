import { CalendarClock, Trash2 } from 'lucide-react';
import type { BatchedAction } from '@/components/batch/batch-action';

type Parts<Row, Own extends keyof BatchedAction<Row>> = Pick<BatchedAction<Row>, Own> & Partial<BatchedAction<Row>>;

/** Changes the end of allowlist entries, overrides or grants. */
export function endAction<Row>(parts: Parts<Row, 'asks' | 'example' | 'buildCall'>): BatchedAction<Row> {
  return {
    label: 'Change end…',
    icon: CalendarClock,
    needs: 'operator',
    title: (what) => `Change the expiry of ${what}`,
    description: 'Only the end and the reason change.',
    submitLabel: 'Change end',
    done: (what) => `The end of ${what} is changed`,
    ...parts,
  };
}

/** Removes rows of any list. */
export function removeAction<Row>(parts: Parts<Row, 'description' | 'example' | 'buildCall'>): BatchedAction<Row> {
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
