import type { ServerTarget } from '@/lib/contract/assessment-target';
import { CALLBACK_PATH, CLIENT_DOCUMENT_PATH } from '@/lib/contract/callback';
import { createInvalidField } from '@/lib/http/input';
import { findCertificateProblem } from '@/lib/oauth/assessment/client-certificate';
import { createAssessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import type { Context } from '@/lib/operation/context';

/**
 * Creates the target for another server. Its network reaches only public addresses and those of `SLUICE_ASSESS_ALLOW`.
 * @throws ApiError invalid_request if a certificate of a client cannot be used
 */
export function createServerTarget({ services, facts, now }: Context, server: ServerTarget): AssessmentTarget {
  const problem = findCertificateProblem(server, now);
  if (problem !== null) throw createInvalidField(`target.server.${problem.path}`, problem.message);
  const network = createAssessmentNetwork({ allowed: services.config.SLUICE_ASSESS_ALLOW });
  const { register } = server;
  if (register?.redirect_uri !== facts.origin + CALLBACK_PATH) return createRemoteTarget(server, network);
  const document = register.document ?? facts.origin + CLIENT_DOCUMENT_PATH;
  return createRemoteTarget({ ...server, register: { ...register, document } }, network);
}
