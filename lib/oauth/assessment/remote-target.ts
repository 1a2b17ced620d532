import type { RemoteTargetDescription } from '@/lib/contract/lab';
import type { AssessmentTarget, TargetClient, Transport } from '@/lib/oauth/assessment/target';

/** A foreign server as a target. Nothing is known of it but what it answers: it forges nothing and moves no clock. */
export function remoteTarget(description: RemoteTargetDescription, transport: Transport): AssessmentTarget {
  const { client, other_client: other, native_client: native, resource, cookie } = description;
  return {
    name: description.name ?? new URL(description.issuer).host,
    issuer: description.issuer,
    transport,
    client: toClient(client),
    ...(other === undefined ? {} : { otherClient: toClient(other) }),
    ...(native === undefined ? {} : { nativeClient: toClient(native) }),
    severalRedirectUris: description.several_redirect_uris,
    scope: description.scope,
    resource: resource === undefined ? null : { url: resource.url, scope: resource.scope ?? null },
    session: cookie === undefined ? {} : { cookie },
    capabilities: {},
  };
}

function toClient(client: RemoteTargetDescription['client']): TargetClient {
  return { id: client.client_id, secret: client.client_secret ?? null, redirectUri: client.redirect_uri };
}
