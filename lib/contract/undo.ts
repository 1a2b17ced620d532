import { z } from 'zod';
import { MAX_ROW, wholeNumber } from '@/lib/contract/fields/whole-number';
import { object, ok, resource } from '@/lib/contract/resource';

const UNDO_PATH = '/v1/admin/audit/{seq}/undo';

export const undoChange = resource(UNDO_PATH, { tag: 'Audit' }).post('undoChange', 'operator', {
  command: 'audit undo',
  reason: 'query',
  summary: 'Take back one change',
  description:
    'Brings back exactly what was there: the same id, creator, reason and expiry. Needs the role that the change needed. Possible for as long as nothing newer touched the same thing, and for 15 minutes after a reset of counters or of a quota: what was used since is kept. `conflict` says what stands in the way. The undo is a change itself, and can be taken back too.',
  params: z.strictObject({
    seq: wholeNumber(1, MAX_ROW, 'must be the number of an audit record').describe(
      'The `seq` of the audit record; `X-Audit-Seq` of the change.',
    ),
  }),
  example: { params: { seq: '42' } },
  response: ok(
    'The change is undone.',
    object('ChangeUndone', {
      seq: z.int().min(1).describe('Number of the audit record of the undo.'),
      undoes: z.int().min(1),
      restored: z.string().describe('What is back, in a sentence.'),
    }),
  ),
  errors: ['not_found', 'conflict'],
  idempotent: true,
});
