import { z } from 'zod';
import { ASSESSED_AUTHENTICATIONS, CERTIFICATE_AUTHENTICATIONS } from '@/lib/contract/client-authentications';

const text = (length: number) => z.string().trim().min(1).max(length);
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048);

const headerText = z
  .string()
  .max(8192)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

const RegisteredClient = z
  .strictObject({
    client_id: text(512),
    redirect_uri: text(2048),
    post_logout_redirect_uri: text(2048)
      .optional()
      .describe('Where the browser may go after a logout. By default the redirect URI is tried.'),
    authentication: z.enum(ASSESSED_AUTHENTICATIONS).default('none'),
    secret: z.string().min(1).max(1024).optional().describe('For `basic` and `post`.'),
    key: z
      .union([z.looseObject({ kty: z.enum(['EC', 'RSA', 'OKP']), d: z.string() }), z.string().min(1).max(16_384)], {
        error: 'must be a private JWK, or a private key as PEM',
      })
      .optional()
      .describe('A private JWK with `alg`, for `private_key_jwt`. That of a certificate may be PEM as well.'),
    certificate: z
      .string()
      .min(1)
      .max(65_536)
      .regex(/-----BEGIN CERTIFICATE-----/, 'must be a certificate as PEM')
      .optional()
      .describe(
        'What the client presents in TLS handshakes, as PEM with its chain (RFC 8705): for `tls_client_auth` and `self_signed_tls_client_auth`, or for a public client whose tokens are bound to it.',
      ),
    tls_client_certificate_bound_access_tokens: z
      .boolean()
      .optional()
      .describe('Whether the client registered this, so that its tokens are bound to the certificate (RFC 8705 3.4).'),
  })
  .superRefine(({ authentication, secret, key, certificate }, context) => {
    const isCertified = CERTIFICATE_AUTHENTICATIONS.some((method) => method === authentication);
    if (isCertified && certificate === undefined)
      context.addIssue({ code: 'custom', path: ['certificate'], message: `is required for ${authentication}` });
    if (certificate !== undefined && key === undefined)
      context.addIssue({ code: 'custom', path: ['key'], message: 'is required for a certificate' });
    if (certificate !== undefined && !isCertified && authentication !== 'none')
      context.addIssue({ code: 'custom', path: ['certificate'], message: `must be absent for ${authentication}` });
    if (authentication === 'private_key_jwt' && typeof key === 'string')
      context.addIssue({ code: 'custom', path: ['key'], message: 'must be a private JWK for private_key_jwt' });
    const needsSecret = authentication === 'basic' || authentication === 'post';
    if (needsSecret && secret === undefined)
      context.addIssue({ code: 'custom', path: ['secret'], message: `is required for ${authentication}` });
    if (authentication === 'private_key_jwt' && key === undefined)
      context.addIssue({ code: 'custom', path: ['key'], message: 'is required for private_key_jwt' });
  });

const Registration = z
  .strictObject({
    redirect_uri: address,
    document: address
      .optional()
      .describe(
        'A client metadata document with this redirect URI, for servers that take its address as the client id. By default that of this Sluice, if the redirect URI is its callback page.',
      ),
  })
  .describe('Registers clients if the server offers it (RFC 7591), and removes them at the end (RFC 7592).');

/**
 * An authorization server or a protected resource to assess. Secrets in it are not stored. One of `url`, `issuer`,
 * `resource_url` and `endpoints` gives its address.
 */
export const ServerTargetInput = z
  .strictObject({
    url: address
      .optional()
      .describe('An issuer, an MCP server or another protected resource: its metadata shows which of them.'),
    register: Registration.optional(),
    issuer: address.optional().describe('The issuer identifier. Alone it is enough for a first result.'),
    resource_url: address
      .optional()
      .describe('A protected resource, such as an MCP server: its metadata (RFC 9728) leads to the issuer.'),
    endpoints: z
      .record(z.string().max(64), address)
      .optional()
      .describe('Endpoints by their names in metadata, where there is none or it is wrong.'),
    client: RegisteredClient.optional(),
    other_client: RegisteredClient.optional().describe('For what must not work across clients.'),
    native_client: RegisteredClient.optional().describe('A client whose redirect URI is on a loopback address.'),
    several_redirect_uris: z.boolean().optional().describe('Whether the client registered more than one.'),
    scope: text(1024).optional().describe('`openid` by default; with `resource_url` what the resource asks for.'),
    resource: z.strictObject({ url: address, scope: text(256).optional() }).optional(),
    parameters: z
      .record(z.string().max(64), z.string().max(1024))
      .optional()
      .describe('Of each authorization request.'),
    login: z
      .enum(['browser', 'cookie', 'none'])
      .optional()
      .describe(
        'How codes are obtained: a person signs in, a session cookie, or not at all. `cookie` where one is given.',
      ),
    cookie: headerText.optional().describe('The Cookie header of a browser that is signed in at the server.'),
    requests_per_second: z.number().min(0.1).max(1000).optional(),
    patience_seconds: z.int().min(0).max(900).default(0).describe('How long to wait to see codes and tokens expire.'),
  })
  .refine(
    ({ url, issuer, resource_url, endpoints }) =>
      [url, issuer, resource_url, endpoints].some((place) => place !== undefined),
    { message: 'is required: the issuer, the URL of a resource, or endpoints', path: ['issuer'] },
  )
  .refine(({ url, issuer, resource_url }) => url === undefined || (issuer ?? resource_url) === undefined, {
    message: 'must be absent if the issuer or the URL of a resource is set',
    path: ['url'],
  })
  .refine(({ register, client }) => register === undefined || client === undefined, {
    message: 'must be absent if a client is set',
    path: ['register'],
  })
  .refine(({ login, cookie }) => login !== 'cookie' || (cookie !== undefined && cookie !== ''), {
    message: 'is required for the login cookie',
    path: ['cookie'],
  })
  .meta({ id: 'ServerTarget' });

export type ServerTarget = z.output<typeof ServerTargetInput>;
