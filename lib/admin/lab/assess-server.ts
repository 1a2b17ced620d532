import { assessmentResponse, requireLab } from '@/lib/admin/lab/sandboxed-run';
import { auditServer as contract } from '@/lib/contract/lab';
import { assessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { remoteTarget } from '@/lib/oauth/assessment/remote-target';
import { implement } from '@/lib/operation/operation';

/** The whole catalogue, measured at an authorization server somewhere else. */
export const auditServer = implement(contract, async (context, { body }) => {
  requireLab(context);
  const { SLUICE_ASSESS_ALLOW: allowed } = context.services.config;
  return assessmentResponse(context, remoteTarget(body, assessmentNetwork({ allowed })));
});
