import { acceptInvitation } from '@/lib/admin/members/accept-invitation';
import { signInWithProvider } from '@/lib/admin/members/sign-in-with-provider';
import { ANONYMOUS } from '@/lib/auth/actor';
import { handleNextAuth } from '@/lib/auth/next-auth/handler';
import { readClientAddress } from '@/lib/http/client-address';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';

/**
 * Answers `/api/auth/*`. A sign-in with a provider may bind an account, and another request may use an invitation.
 * Both leave an audit record.
 * @param path the segments after `/api/auth/`
 * @throws the errors of `handleNextAuth`
 */
export function answerNextAuth(
  request: Request,
  path: readonly string[],
  services: Services,
  requestId: string,
): Promise<Response> {
  const address = readClientAddress(request.headers, services.config)?.text ?? null;
  const context = { ...createSystemContext(services), actor: ANONYMOUS, requestId, address };
  const call = {
    request,
    path,
    requestId,
    address,
    signInWithProvider: signInWithProvider.bind(null, context),
    acceptInvitation: acceptInvitation.bind(null, context),
  };
  return handleNextAuth(call, services);
}
