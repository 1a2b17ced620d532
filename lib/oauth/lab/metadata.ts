import { DEVICE_GRANT, LAB_PATHS, OTHER_SERVICE, TOKEN_EXCHANGE_GRANT } from '@/lib/contract/lab-paths';
import { PROMPTS, RESPONSE_MODES } from '@/lib/oauth/lab/authorization-request';
import { CLIENT_KEY_ALGORITHMS } from '@/lib/oauth/lab/client-assertion';
import { LAB_SCOPES } from '@/lib/oauth/lab/clients';
import { listDpopAlgorithms } from '@/lib/oauth/lab/dpop-proof';
import { answerJson } from '@/lib/oauth/lab/respond';
import type { LabHandler } from '@/lib/oauth/lab/services';
import { loadSigningKeys, SIGNING_ALGORITHMS } from '@/lib/oauth/lab/signing-key';

/**
 * Handles `GET /.well-known/oauth-authorization-server` (RFC 8414) and `/.well-known/openid-configuration`. The
 * metadata matches the controls and requirements of the request: without `pkce-s256` it lists `plain`.
 */
export const describeServer: LabHandler = async (_request, lab) => {
  const { origin, controls, requirements, certificate } = lab;
  const buildUrl = (path: string) => origin + path;
  const isCodeOnly = controls['response-type-code'];
  const withKeysOnly = requirements['fapi-key-authentication'];
  const confidential = [...(withKeysOnly ? [] : ['client_secret_basic', 'client_secret_post']), 'private_key_jwt'];
  if (certificate !== undefined) confidential.push('tls_client_auth');
  const everyMethod = withKeysOnly ? confidential : [...confidential, 'none'];
  const metadata = {
    issuer: origin,
    authorization_endpoint: buildUrl(LAB_PATHS.authorize),
    token_endpoint: buildUrl(LAB_PATHS.token),
    userinfo_endpoint: buildUrl(LAB_PATHS.userinfo),
    jwks_uri: buildUrl(LAB_PATHS.jwks),
    revocation_endpoint: buildUrl(LAB_PATHS.revoke),
    introspection_endpoint: buildUrl(LAB_PATHS.introspect),
    end_session_endpoint: buildUrl(LAB_PATHS.logout),
    pushed_authorization_request_endpoint: buildUrl(LAB_PATHS.par),
    device_authorization_endpoint: buildUrl(LAB_PATHS.deviceAuthorization),
    require_pushed_authorization_requests: requirements['fapi-pushed-requests'],
    scopes_supported: LAB_SCOPES,
    response_types_supported: isCodeOnly ? ['code'] : ['code', 'token', 'code token'],
    response_modes_supported: RESPONSE_MODES,
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      DEVICE_GRANT,
      TOKEN_EXCHANGE_GRANT,
      ...(isCodeOnly ? [] : ['implicit']),
    ],
    token_endpoint_auth_methods_supported: everyMethod,
    token_endpoint_auth_signing_alg_values_supported: CLIENT_KEY_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: everyMethod,
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_KEY_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: confidential,
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_KEY_ALGORITHMS,
    code_challenge_methods_supported: controls['pkce-s256'] ? ['S256'] : ['S256', 'plain'],
    authorization_response_iss_parameter_supported: controls['issuer-in-response'],
    dpop_signing_alg_values_supported: listDpopAlgorithms(lab),
    ...(certificate === undefined ? {} : { tls_client_certificate_bound_access_tokens: true }),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: Object.values(SIGNING_ALGORITHMS),
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'sid',
      'at_hash',
      'email',
      'email_verified',
      'name',
    ],
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    request_object_signing_alg_values_supported: CLIENT_KEY_ALGORITHMS,
    require_signed_request_object: false,
    prompt_values_supported: PROMPTS,
    protected_resources: [buildUrl(LAB_PATHS.data), OTHER_SERVICE],
    service_documentation: buildUrl('/docs'),
  };
  return answerJson(200, metadata);
};

/** Handles `GET /auth/jwks`: publishes the lab's public keys (RFC 7517). */
export const publishKeys: LabHandler = async (_request, lab) => {
  const keys = await loadSigningKeys(lab);
  return answerJson(
    200,
    { keys: keys.map(({ publicJwk }) => publicJwk) },
    { 'Content-Type': 'application/jwk-set+json' },
  );
};
