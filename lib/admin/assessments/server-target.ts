import type { ServerTarget } from '@/lib/contract/assessment-target';
import { CALLBACK_PATH, CLIENT_DOCUMENT_PATH } from '@/lib/contract/callback';
import { assessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { remoteTarget } from '@/lib/oauth/assessment/remote-target';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import type { Context } from '@/lib/operation/context';

/**
 * Creates the target for another server. Its network reaches only public addresses and those of `SLUICE_ASSESS_ALLOW`.
 */
export function serverTarget({ services, facts }: Context, server: ServerTarget): AssessmentTarget {
  const network = assessmentNetwork({ allowed: services.config.SLUICE_ASSESS_ALLOW });
  const { register } = server;
  if (register?.redirect_uri !== facts.origin + CALLBACK_PATH) return remoteTarget(server, network);
  const document = register.document ?? facts.origin + CLIENT_DOCUMENT_PATH;
  return remoteTarget({ ...server, register: { ...register, document } }, network);
}
