import { z } from 'zod';
import type { AssessmentTarget, TargetClient } from '@/lib/oauth/assessment/target';
import type { Transport } from '@/lib/oauth/assessment/transport';

const text = (length: number) => z.string().trim().min(1).max(length);
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048);
const headerText = z
  .string()
  .max(8192)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');
const Client = z.strictObject({
  client_id: text(512),
  client_secret: z.string().max(1024).optional(),
  redirect_uri: text(2048),
});

/** What a person says about an authorization server that is to be judged. Secrets stay out of the evidence. */
export const RemoteTargetInput = z.strictObject({
  name: text(120).optional(),
  issuer: address,
  client: Client,
  other_client: Client.optional(),
  native_client: Client.optional(),
  several_redirect_uris: z.boolean().default(false),
  scope: text(1024).default('openid'),
  resource: z.strictObject({ url: address, scope: text(256).optional() }).optional(),
  /** The Cookie header of a browser that is signed in at the server. */
  cookie: headerText.optional(),
});

/** An authorization server as it is described from outside, parsed. */
export type RemoteTargetDescription = z.output<typeof RemoteTargetInput>;

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

function toClient(client: z.output<typeof Client>): TargetClient {
  return { id: client.client_id, secret: client.client_secret ?? null, redirectUri: client.redirect_uri };
}
