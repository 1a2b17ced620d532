import { authenticateClient } from '@/lib/oauth/lab/authenticate-client';
import type { Controls } from '@/lib/oauth/lab/controls';
import { checkDpopProof } from '@/lib/oauth/lab/dpop-proof';
import { readBody } from '@/lib/oauth/lab/parameters';
import { redeemCode } from '@/lib/oauth/lab/redeem-code';
import { redeemRefreshToken } from '@/lib/oauth/lab/redeem-refresh-token';
import { answerJson, markWeakened, refuse } from '@/lib/oauth/lab/respond';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { TokenRequest, TokenRequestOutcome } from '@/lib/oauth/lab/token-request';
import { applyControls } from '@/lib/oauth/lab/violation';

/** The grants that the token endpoint knows. */
const GRANTS: Record<
  string,
  (asked: TokenRequest, controls: Controls, lab: LabServices) => Promise<TokenRequestOutcome>
> = {
  authorization_code: redeemCode,
  refresh_token: redeemRefreshToken,
};

/** `POST /auth/token`: the token endpoint (RFC 6749 section 3.2). */
export async function exchangeToken(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const outcome = await exchange(request, controls, lab);
  const answer = outcome.response === null ? refuse(outcome.refusing) : answerJson(200, outcome.response);
  if (!controls['token-no-store']) answer.headers.delete('Cache-Control');
  return markWeakened(answer, controls, outcome.waived);
}

async function exchange(request: Request, controls: Controls, lab: LabServices): Promise<TokenRequestOutcome> {
  const body = await readBody(request);
  if (!body.ok) return { response: null, refusing: [body.violation], waived: [] };
  const { parameters } = body;
  const { client, violations } = authenticateClient(request, parameters, lab);
  violations.push(...parameters.violations());

  const proof = request.headers.get('dpop');
  const reading = proof === null ? null : await checkDpopProof(proof, request, lab);
  if (reading !== null && !reading.ok) {
    violations.push({ control: null, error: 'invalid_dpop_proof', description: reading.problem });
  }
  const grantType = parameters.get('grant_type');
  const grant = grantType !== undefined && Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (grantType === undefined) {
    violations.push({ control: null, error: 'invalid_request', description: 'grant_type is missing.' });
  } else if (grant === undefined) {
    const control = grantType === 'password' ? 'no-password-grant' : null;
    const description = 'grant_type must be authorization_code or refresh_token.';
    violations.push({ control, error: 'unsupported_grant_type', description });
  }
  if (client === null || grant === undefined) return { response: null, ...applyControls(violations, controls) };
  const thumbprint = reading?.ok ? reading.thumbprint : null;
  return grant({ client, parameters, violations, thumbprint }, controls, lab);
}
