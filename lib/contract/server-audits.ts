import { z } from 'zod';
import { lab, PROGRESS } from '@/lib/contract/lab';
import { json, resource } from '@/lib/contract/resource';

const text = (length: number) => z.string().trim().min(1).max(length);
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048);
const headerText = z
  .string()
  .max(8192)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');
const RemoteClient = z.strictObject({
  client_id: text(512),
  client_secret: z.string().max(1024).optional(),
  redirect_uri: text(2048),
});

/** The description of an authorization server to assess. Secrets stay out of the evidence. */
export const RemoteTargetInput = z.strictObject({
  name: text(120).optional(),
  issuer: address,
  client: RemoteClient,
  other_client: RemoteClient.optional(),
  native_client: RemoteClient.optional(),
  several_redirect_uris: z.boolean().default(false),
  scope: text(1024).default('openid'),
  resource: z.strictObject({ url: address, scope: text(256).optional() }).optional(),
  /** The Cookie header of a browser that is signed in at the server. */
  cookie: headerText.optional(),
});

/** An authorization server as it is described from outside, parsed. */
export type RemoteTargetDescription = z.output<typeof RemoteTargetInput>;

export const auditServer = resource('/v1/oauth-lab/server-audits', lab).post('auditServer', 'operator', {
  summary: 'Assess an authorization server by the whole catalogue',
  description:
    'Sends requests to a public address only. Streams its progress, one JSON object per line; secrets are redacted.',
  body: json(RemoteTargetInput),
  example: {
    body: {
      issuer: 'https://login.example.com',
      client: { client_id: 'my-client', redirect_uri: 'https://app.example.com/callback' },
      scope: 'openid profile',
    },
  },
  response: PROGRESS,
});
