import { assessmentResponse } from '@/lib/admin/lab/assessment-response';
import { requireLab } from '@/lib/admin/lab/require-lab';
import { sandboxedLab } from '@/lib/admin/lab/sandboxed-lab';
import { auditLab as contract } from '@/lib/contract/lab';
import { implement } from '@/lib/operation/operation';

/** The whole catalogue, measured at the built-in lab with some of its controls left out. */
export const auditLab = implement(contract, async (context, { body }) => {
  requireLab(context);
  return assessmentResponse(context, sandboxedLab(context, body?.off ?? []));
});
