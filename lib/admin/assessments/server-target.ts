import type { ServerTarget } from '@/lib/contract/assessment-target';
import { assessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { remoteTarget } from '@/lib/oauth/assessment/remote-target';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import type { Context } from '@/lib/operation/context';

/**
 * Creates the target for another server. Its network reaches only public addresses and those of `SLUICE_ASSESS_ALLOW`.
 */
export function serverTarget({ services }: Context, server: ServerTarget): AssessmentTarget {
  return remoteTarget(server, assessmentNetwork({ allowed: services.config.SLUICE_ASSESS_ALLOW }));
}
