import type { ServerTarget } from '@/lib/contract/assessment-target';
import { readClientCertificate } from '@/lib/oauth/assessment/client-certificate';
import type { AssessmentTarget, ClientAuthentication, TargetClient } from '@/lib/oauth/assessment/target';

/** Creates a target for another server. Only its answers are visible: it cannot forge tokens or move a clock. */
export function createRemoteTarget(
  server: ServerTarget,
  network: Pick<AssessmentTarget, 'transport' | 'handshake' | 'now'>,
): AssessmentTarget {
  const { client, other_client: other, native_client: native, resource, resource_url: resourceUrl } = server;
  const { issuer = '', endpoints = {}, cookie = '' } = server;
  const { login = cookie === '' ? 'none' : 'cookie' } = server;
  const isFoundByResource = issuer === '' && resourceUrl !== undefined;
  const { url = null, register } = server;
  const address = issuer || resourceUrl || url || Object.values(endpoints)[0];
  return {
    name: address === undefined ? 'A server' : new URL(address).host,
    address: url,
    registration:
      register === undefined ? null : { redirectUri: register.redirect_uri, document: register.document ?? null },
    issuer,
    ...network,
    client: client === undefined ? null : convertClient(client),
    otherClient: other === undefined ? null : convertClient(other),
    nativeClient: native === undefined ? null : convertClient(native),
    severalRedirectUris: server.several_redirect_uris ?? null,
    scope: server.scope ?? (isFoundByResource || url !== null ? '' : 'openid'),
    resource: createResource(resource?.url ?? resourceUrl, resource?.scope),
    isFoundByResource,
    parameters: server.parameters ?? {},
    endpoints,
    login,
    cookie: login === 'cookie' ? cookie : '',
    requestsPerSecond: server.requests_per_second ?? null,
    patience: server.patience_seconds,
    capabilities: {},
  };
}

const createResource = (url: string | undefined, scope: string | null = null) =>
  url === undefined ? null : { url, scope };

function convertClient(client: NonNullable<ServerTarget['client']>): TargetClient {
  const { client_id: id, redirect_uri: redirectUri, post_logout_redirect_uri: afterLogout } = client;
  const certificate = readClientCertificate(client);
  const registered = client.tls_client_certificate_bound_access_tokens;
  return {
    id,
    redirectUri,
    ...(afterLogout === undefined ? {} : { postLogoutRedirectUri: afterLogout }),
    authentication: convertAuthentication(client),
    certificate,
    // A public client has a certificate for no other purpose.
    hasBoundTokens: registered ?? (certificate !== undefined && client.authentication === 'none' ? true : undefined),
  };
}

function convertAuthentication({
  authentication: method,
  secret,
  key,
}: NonNullable<ServerTarget['client']>): ClientAuthentication {
  if ((method === 'basic' || method === 'post') && secret !== undefined) return { method, secret };
  if (method === 'private_key_jwt' && typeof key === 'object') return { method, key };
  if (method === 'tls_client_auth' || method === 'self_signed_tls_client_auth') return { method };
  return { method: 'none' };
}
