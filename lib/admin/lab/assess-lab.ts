import { assessmentResponse, sandboxedLab } from '@/lib/admin/lab/sandboxed-run';
import { auditLab as contract } from '@/lib/contract/lab';
import { implement } from '@/lib/operation/operation';

/** The whole catalogue, measured at the built-in lab with some of its controls left out. */
export const auditLab = implement(contract, async (context, { body }) =>
  assessmentResponse(context, sandboxedLab(context, body.off)),
);
