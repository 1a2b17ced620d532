import { z } from 'zod';
import type { Contract } from '@/lib/contract/operation';
import { object } from '@/lib/contract/resource';

/** Query parameter that previews a change. */
export const DRY_RUN = 'dry_run';

export const DryRunSchema = z
  .enum(['true', 'false'], 'must be true or false')
  .describe(
    '`true`: changes nothing and answers, with 200, what would change and who would be hit. What would be refused is refused; passwords and codes are not checked.',
  );

export const PreviewSchema = object('Preview', {
  status: z.int().describe('What the operation would answer with.'),
  value: z
    .unknown()
    .describe('The body it would answer with, null without one. Ids are examples, and secrets are not made: null.'),
  changes: z
    .array(
      object('PreviewedChange', {
        action: z.string().describe('As the audit log would call it.'),
        target_type: z.string(),
        target: z.string(),
        before: z.unknown().describe('Null if there is nothing yet.'),
        after: z.unknown().describe('Null if nothing is left.'),
        effect: z.string().optional().describe('Who would be hit, in a sentence, where that can be said.'),
      }),
    )
    .describe('In the order of the audit records that they would leave; none when there is nothing to change.'),
});
export type Preview = z.infer<typeof PreviewSchema>;
export type ForeseenChange = Omit<Preview['changes'][number], 'effect'>;

/**
 * Returns whether an operation takes `dry_run`. Operations that write an audit record take it, and batches of them;
 * streams do not.
 */
export function hasDryRun({ id, reason, response }: Pick<Contract, 'id' | 'reason' | 'response'>): boolean {
  return (reason !== undefined || id === 'runBatch') && response.mediaTypes === undefined;
}
