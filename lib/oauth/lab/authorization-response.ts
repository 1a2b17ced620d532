import type { AuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import { issueAccessToken, issueIdToken } from '@/lib/oauth/lab/issue-tokens';
import type { Lab } from '@/lib/oauth/lab/services';
import { handOut, newId } from '@/lib/oauth/lab/tickets';

/** How long a code can be redeemed, in seconds. RFC 6749 section 4.1.2 allows ten minutes. */
export const CODE_LIFETIME = 60;
/** How long a code is kept: it can be redeemed until then where `code-lifetime` is off. Seconds. */
const CODE_KEPT = 3_600;

/** The parameters of an authorization response (RFC 6749 4.1.2, RFC 9207 2), in order. */
type ResponseParameters = Record<string, string>;

/** Issues what the request asks for: a code, and with `response-type-code` off also tokens of the implicit grant. */
export async function grantAuthorization(request: AuthorizationRequest, lab: Lab): Promise<ResponseParameters> {
  const response: ResponseParameters = {};
  if (request.responseTypes.includes('code')) response.code = await handOut(lab, 'code', request, CODE_KEPT);
  const grant = { ...request, grantId: newId(lab), thumbprint: null };
  if (request.responseTypes.includes('token')) {
    const issued = await issueAccessToken(grant, lab);
    response.access_token = issued.token;
    response.token_type = 'Bearer';
    response.expires_in = String(issued.expiresIn);
  }
  if (request.responseTypes.includes('id_token')) response.id_token = await issueIdToken(grant, lab);
  return withStateAndIssuer(response, request.state, lab);
}

/** Adds `state` (RFC 6749 section 4.1.2) and `iss` (RFC 9207) to a response, be it a success or an error. */
export function withStateAndIssuer(response: ResponseParameters, state: string | null, lab: Lab): ResponseParameters {
  return {
    ...response,
    ...(state === null ? {} : { state }),
    ...(lab.controls['issuer-in-response'] ? { iss: lab.origin } : {}),
  };
}

/** The address a browser would go to. Tokens travel in the fragment (RFC 6749 section 4.2.2), codes in the query. */
export function redirectTarget(redirectUri: string, response: ResponseParameters): string {
  const url = new URL(redirectUri);
  if ('access_token' in response || 'id_token' in response) url.hash = new URLSearchParams(response).toString();
  else for (const [name, value] of Object.entries(response)) url.searchParams.append(name, value);
  return url.href;
}
