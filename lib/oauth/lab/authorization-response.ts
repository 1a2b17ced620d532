import type { AuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import type { Controls } from '@/lib/oauth/lab/controls';
import { newGrantId } from '@/lib/oauth/lab/grant';
import { issueAccessToken, issueIdToken } from '@/lib/oauth/lab/issue-tokens';
import { hashSecret, newSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';

/** How long a code can be redeemed, in seconds. RFC 6749 section 4.1.2 allows ten minutes. */
export const CODE_LIFETIME = 60;
/** How long a code is kept: it can be redeemed until then where `code-lifetime` is off. Seconds. */
const CODE_KEPT = 3_600;

/** The parameters of a successful authorization response (RFC 6749 4.1.2, RFC 9207 2), in order. */
export type ResponseParameters = Record<string, string>;

/** What is behind a code. Stored as JSON under the code's hash. */
export interface CodePayload {
  clientId: string;
  redirectUri: string;
  redirectSent: boolean;
  scope: string;
  nonce: string | null;
  challenge: AuthorizationRequest['challenge'];
  resources: readonly string[];
}

/** Issues what the request asks for: a code, and with `response-type-code` off also tokens of the implicit grant. */
export async function grantAuthorization(
  request: AuthorizationRequest,
  controls: Controls,
  lab: LabServices,
): Promise<ResponseParameters> {
  const response: ResponseParameters = {};
  const now = lab.now();
  if (request.responseTypes.includes('code')) {
    const code = newSecret(lab, 'slc_');
    const payload: CodePayload = {
      clientId: request.clientId,
      redirectUri: request.redirectUri,
      redirectSent: request.redirectSent,
      scope: request.scope,
      nonce: request.nonce,
      challenge: request.challenge,
      resources: request.resources,
    };
    await lab.state.put({
      kind: 'code',
      hash: hashSecret(code),
      payload: JSON.stringify(payload),
      createdAt: now,
      expiresAt: now + CODE_KEPT * 1000,
    });
    response.code = code;
  }
  const grant = { ...request, grantId: newGrantId(lab), thumbprint: null };
  if (request.responseTypes.includes('token')) {
    const issued = await issueAccessToken(grant, controls, lab);
    response.access_token = issued.token;
    response.token_type = 'Bearer';
    response.expires_in = String(issued.expiresIn);
  }
  if (request.responseTypes.includes('id_token')) response.id_token = await issueIdToken(grant, lab);
  return withStateAndIssuer(response, request.state, controls, lab);
}

/** Adds `state` (RFC 6749 section 4.1.2) and `iss` (RFC 9207) to a response, be it a success or an error. */
export function withStateAndIssuer(
  response: ResponseParameters,
  state: string | null,
  controls: Controls,
  lab: LabServices,
): ResponseParameters {
  return {
    ...response,
    ...(state === null ? {} : { state }),
    ...(controls['issuer-in-response'] ? { iss: lab.origin } : {}),
  };
}

/** The address a browser would go to. Tokens travel in the fragment (RFC 6749 section 4.2.2), codes in the query. */
export function redirectTarget(redirectUri: string, response: ResponseParameters): string {
  const url = new URL(redirectUri);
  if ('access_token' in response || 'id_token' in response) {
    url.hash = new URLSearchParams(response).toString();
    return url.href;
  }
  for (const [name, value] of Object.entries(response)) url.searchParams.append(name, value);
  return url.href;
}
