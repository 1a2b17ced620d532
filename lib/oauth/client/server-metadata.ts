import { z } from 'zod';
import { parseJson } from '@/lib/json';
import type { ClientEnvironment } from '@/lib/oauth/client/environment';

const url = z.string().optional();
const names = z.array(z.string()).optional();

/** Metadata of a server (RFC 8414, OpenID Connect Discovery), limited to the members that a client uses. */
const ServerMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: url,
  token_endpoint: url,
  pushed_authorization_request_endpoint: url,
  userinfo_endpoint: url,
  introspection_endpoint: url,
  revocation_endpoint: url,
  jwks_uri: url,
  scopes_supported: names,
  grant_types_supported: names,
  code_challenge_methods_supported: names,
  dpop_signing_alg_values_supported: names,
  token_endpoint_auth_methods_supported: names,
  require_pushed_authorization_requests: z.boolean().optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type ServerMetadata = z.output<typeof ServerMetadata>;

/** Endpoints that a client uses, by their names in metadata. */
export const ENDPOINT_NAMES = {
  authorization_endpoint: 'Authorization',
  token_endpoint: 'Token',
  pushed_authorization_request_endpoint: 'Pushed requests',
  userinfo_endpoint: 'Userinfo',
  introspection_endpoint: 'Introspection',
  revocation_endpoint: 'Revocation',
  jwks_uri: 'Keys (JWKS)',
} as const;
export type EndpointName = keyof typeof ENDPOINT_NAMES;

/**
 * Lists the possible addresses of an issuer's metadata (RFC 8414 section 3.1, OpenID Connect Discovery section 4).
 * @throws TypeError
 */
export function listDiscoveryAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const addresses = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return [...new Set(addresses)];
}

/** Reads metadata from an answer. Returns a problem if something is wrong, even if the metadata can still be used. */
export function readServerMetadata(
  body: string,
  issuer: string,
): { metadata: ServerMetadata | null; problem: string | null } {
  const json = parseJson(body);
  if (json === undefined) return { metadata: null, problem: 'The answer is not JSON.' };
  const parsed = ServerMetadata.safeParse(json);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.');
    return { metadata: null, problem: `The metadata is not valid${path ? `: ${path}` : ''}.` };
  }
  const problem =
    parsed.data.issuer === issuer
      ? null
      : 'The metadata names another issuer than the one that was asked: a client must not use it (RFC 8414 section 3.3).';
  return { metadata: parsed.data, problem };
}

/** Returns an endpoint: the one entered by hand, else the one in the metadata, else an empty text. */
export function findEndpoint(
  name: EndpointName,
  { endpoints }: Pick<ClientEnvironment, 'endpoints'>,
  metadata: ServerMetadata | null,
): string {
  return endpoints[name] || metadata?.[name] || '';
}

/** Summarizes the capabilities of a server in short labels. `offered` is null if the metadata does not mention it. */
export function listCapabilities(metadata: ServerMetadata): readonly { name: string; offered: boolean | null }[] {
  const includes = (values: readonly string[] | undefined, value: string) => values?.includes(value) ?? null;
  return [
    { name: 'PKCE S256', offered: includes(metadata.code_challenge_methods_supported, 'S256') },
    { name: 'PAR', offered: metadata.pushed_authorization_request_endpoint !== undefined },
    { name: 'DPoP', offered: (metadata.dpop_signing_alg_values_supported?.length ?? 0) > 0 },
    { name: 'iss in responses', offered: metadata.authorization_response_iss_parameter_supported === true },
    { name: 'Refresh tokens', offered: includes(metadata.grant_types_supported, 'refresh_token') },
    { name: 'Client credentials', offered: includes(metadata.grant_types_supported, 'client_credentials') },
    { name: 'Introspection', offered: metadata.introspection_endpoint !== undefined },
    { name: 'Revocation', offered: metadata.revocation_endpoint !== undefined },
  ];
}
