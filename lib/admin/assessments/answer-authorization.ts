import { findAssessment, isRunning } from '@/lib/admin/assessments/row';
import { answerVisit } from '@/lib/admin/assessments/visits';
import { isRoleAllowed } from '@/lib/auth/actor';
import { answerAuthorization as contract } from '@/lib/contract/assessments';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Passes the address to which a person's browser returned to the assessment that waits for it. */
export const answerAuthorization = implement(contract, async ({ services, actor, now }, { params, body }) => {
  const row = await findAssessment(services.database, params.id);
  if (actor.id !== row.starter && !isRoleAllowed(actor.role, 'operator'))
    throw new ApiError('forbidden', 'Only the member who started the assessment, or an operator, may answer.');
  const handedIn = isRunning(row, now)
    ? await answerVisit(services, params.id, body.url)
    : { kind: 'not wanted' as const };
  if (handedIn.kind === 'not wanted') throw new ApiError('conflict', 'The assessment is not waiting for a browser.');
  if (handedIn.kind === 'wrong') {
    const details = [{ path: 'url', message: handedIn.why }];
    throw new ApiError('invalid_request', `The assessment is waiting for another address. ${handedIn.why}`, {
      details,
    });
  }
  return undefined;
});
