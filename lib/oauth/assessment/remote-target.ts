import type { RemoteTargetDescription } from '@/lib/contract/lab';
import type { AssessmentTarget, ClientAuthentication, TargetClient } from '@/lib/oauth/assessment/target';

/** A foreign server as a target. Nothing is known of it but what it answers: it forges nothing and moves no clock. */
export function remoteTarget(
  description: RemoteTargetDescription,
  network: Pick<AssessmentTarget, 'transport' | 'handshake' | 'now'>,
): AssessmentTarget {
  const { client, other_client: other, native_client: native, resource, cookie } = description;
  return {
    name: description.name ?? new URL(description.issuer).host,
    issuer: description.issuer,
    ...network,
    client: client === undefined ? null : toClient(client),
    otherClient: other === undefined ? null : toClient(other),
    nativeClient: native === undefined ? null : toClient(native),
    severalRedirectUris: description.several_redirect_uris ?? null,
    scope: description.scope,
    resource: resource === undefined ? null : { url: resource.url, scope: resource.scope ?? null },
    parameters: description.parameters ?? {},
    endpoints: description.endpoints ?? {},
    cookie: cookie ?? '',
    requestsPerSecond: description.requests_per_second ?? null,
    patience: description.patience_seconds,
    capabilities: {},
  };
}

function toClient(client: NonNullable<RemoteTargetDescription['client']>): TargetClient {
  return { id: client.client_id, redirectUri: client.redirect_uri, authentication: authenticationOf(client) };
}

function authenticationOf(client: NonNullable<RemoteTargetDescription['client']>): ClientAuthentication {
  const { authentication = client.client_secret === undefined ? 'none' : 'post', client_secret: secret, key } = client;
  if ((authentication === 'basic' || authentication === 'post') && secret !== undefined)
    return { method: authentication, secret };
  if (authentication === 'private_key_jwt' && key !== undefined) return { method: authentication, key };
  return { method: 'none' };
}
