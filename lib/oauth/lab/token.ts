import { clientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { checkDpopProof } from '@/lib/oauth/lab/dpop-proof';
import { redeemCode } from '@/lib/oauth/lab/redeem-code';
import { redeemRefreshToken } from '@/lib/oauth/lab/redeem-refresh-token';
import { answerJson, refuse } from '@/lib/oauth/lab/respond';
import type { LabHandler } from '@/lib/oauth/lab/services';
import type { RedeemGrant, TokenRequest } from '@/lib/oauth/lab/token-request';

/** The grants that the token endpoint knows. */
const GRANTS = new Map<string | undefined, RedeemGrant>([
  ['authorization_code', redeemCode],
  ['refresh_token', redeemRefreshToken],
]);

/** `POST /auth/token`: the token endpoint (RFC 6749 section 3.2). */
export const exchangeToken: LabHandler = async (request, lab, violations) => {
  const answer = await exchange(request, lab, violations);
  if (!lab.controls['token-no-store']) answer.headers.delete('Cache-Control');
  return answer;
};

const exchange = clientEndpoint(async ({ request, parameters, client, violations }, lab) => {
  parameters.check(violations);
  const proof = request.headers.get('dpop');
  const reading = proof === null ? null : await checkDpopProof(proof, request, lab);
  if (reading?.ok === false) violations.note(null, 'invalid_dpop_proof', reading.problem);
  const grantType = parameters.get('grant_type');
  const redeem = GRANTS.get(grantType);
  if (grantType === undefined) {
    violations.note(null, 'invalid_request', 'grant_type is missing.');
  } else if (redeem === undefined) {
    const control = grantType === 'password' ? 'no-password-grant' : null;
    violations.note(control, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  }
  if (client === null || redeem === undefined) return refuse(violations.refusing);
  const asked: TokenRequest = {
    client,
    parameters,
    violations,
    invalidGrant: (control, description) => violations.note(control, 'invalid_grant', description),
    thumbprint: reading?.ok ? reading.thumbprint : null,
  };
  const response = await redeem(asked, lab);
  return response === null ? refuse(violations.refusing) : answerJson(200, response);
});
