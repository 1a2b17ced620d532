import { z } from 'zod';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { Contract } from '@/lib/contract/operation';

const FORMS = ['application/x-www-form-urlencoded', 'application/json'];

const LabHeaders = z.object({
  'Sluice-Lab-Controls': z
    .string()
    .optional()
    .describe(
      'RFC 9651 dictionary of booleans that switches single controls off for this one request. Without it every control is on.',
    )
    .meta({ example: 'require-pkce=?0, validate-audience=?0' }),
});

const LabErrorSchema = z
  .object({
    error: z.string(),
    error_description: z.string(),
    blocked_by: z.array(z.string()).describe('Every control that refuses, not only the first.'),
  })
  .loose()
  .meta({ id: 'LabError', description: 'RFC 6749 or RFC 6750 error.' });

const AuthorizationParameters = z
  .object({
    response_type: z.string().describe('`code`.'),
    client_id: z.string().meta({ example: 'demo-client' }),
    redirect_uri: z
      .string()
      .describe('One that is registered, character by character.')
      .meta({ example: 'https://app.example.com/callback' }),
    scope: z
      .string()
      .optional()
      .describe('Of `openid`, `profile`, `email`, `offline_access`.')
      .meta({ example: 'openid profile' }),
    state: z.string().optional(),
    nonce: z.string().optional(),
    code_challenge: z.string().optional().describe('RFC 7636; required unless `require-pkce` is off.'),
    code_challenge_method: z.string().optional().describe('`S256`.'),
    resource: z.string().optional().describe('RFC 8707.'),
    request_uri: z.string().optional().describe('Of a pushed request (RFC 9126), in place of the other parameters.'),
    prompt: z.string().optional(),
    response_mode: z.string().optional().describe('`query`.'),
  })
  .partial()
  .meta({ id: 'AuthorizationRequest' });

const TokenParameters = z
  .object({
    grant_type: z.string().describe('`authorization_code` or `refresh_token`.'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string(),
    refresh_token: z.string(),
    scope: z.string(),
    resource: z.string(),
    client_id: z.string(),
    client_secret: z.string(),
  })
  .partial()
  .meta({ id: 'TokenRequest' });

const TokenParameter = z
  .object({
    token: z.string(),
    token_type_hint: z.string().optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  })
  .meta({ id: 'TokenToJudge' });

const loose = z.object({}).loose();
const AuthorizationAnswer = z
  .object({
    code: z.string(),
    state: z.string(),
    iss: z.string(),
    redirect_uri: z.string(),
    redirect_to: z.string().describe('Where a browser would go.'),
    expires_in: z.int(),
  })
  .partial()
  .loose()
  .meta({ id: 'AuthorizationResponse' });
const TokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.string(),
    expires_in: z.int(),
    refresh_token: z.string().optional(),
    scope: z.string(),
    id_token: z.string().optional(),
  })
  .loose()
  .meta({ id: 'TokenResponse' });
const Activity = z.object({ active: z.boolean() }).loose().meta({ id: 'TokenActivity' });

const refused = { '400': { description: 'An error of RFC 6749 or RFC 6750.', schema: LabErrorSchema } };
const refusedWithout = { '401': { description: 'The client or the token is not accepted.', schema: LabErrorSchema } };
/** What browsers see where a redirect is not safe. */
const page = {
  '400': {
    description: 'A page that says why the browser is sent nowhere; JSON where `Sluice-Lab-Controls` cannot be read.',
    schema: LabErrorSchema,
    mediaTypes: ['text/html', 'application/json'],
  },
  '303': {
    description: 'To the registered redirect URI, with the code or the error.',
    headers: { Location: 'The redirect URI with its parameters.' },
  },
};
/** `not_found`: with `SLUICE_LAB=off`. */
const shared = {
  tag: 'OAuth lab',
  servedBy: 'lab',
  access: 'public',
  headers: LabHeaders,
  otherResponses: refused,
  errors: ['not_found', 'service_unavailable'],
} as const satisfies Partial<Contract>;

const REQUEST = {
  response_type: 'code',
  client_id: 'demo-client',
  redirect_uri: 'https://app.example.com/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
} as const;
const SCOPED_REQUEST = { ...REQUEST, scope: 'openid profile', state: 'af0ifjsldkj' } as const;

const labPaths: readonly string[] = Object.values(LAB_PATHS);
const HeaderText = z
  .string()
  .max(16_384)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

/** A request to one of the lab's endpoints, as the builder would send it. */
export const CompareInput = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z
    .string()
    .max(8_192)
    .refine((path) => labPaths.includes(path.split('?')[0] ?? ''), 'must be an endpoint of the lab'),
  headers: z.array(z.tuple([z.string().regex(/^[A-Za-z0-9-]{1,64}$/), HeaderText])).max(20),
  body: z.string().max(65_536).nullable(),
});

export const authorize = {
  ...shared,
  id: 'authorize',
  method: 'GET',
  path: '/auth/authorize',
  summary: 'Ask for authorization in a browser',
  description: 'Shows a page for consent and redirects to a registered URI only.',
  query: AuthorizationParameters,
  response: { status: 200, description: 'A page.', mediaTypes: ['text/html'] },
  otherResponses: page,
  example: { query: SCOPED_REQUEST },
} as const satisfies Contract;

export const authorizeByPost = {
  ...shared,
  id: 'authorizeByPost',
  method: 'POST',
  path: '/auth/authorize',
  summary: 'Ask for authorization',
  description: 'Answers with JSON and never redirects.',
  body: { schema: AuthorizationParameters, required: true, mediaTypes: FORMS },
  response: {
    status: 200,
    description: 'The code, and where a browser would go with it.',
    schema: AuthorizationAnswer,
  },
  otherResponses: refused,
  example: { body: SCOPED_REQUEST },
} as const satisfies Contract;

export const decideConsent = {
  ...shared,
  id: 'decideConsent',
  method: 'POST',
  path: '/auth/authorize/decision',
  summary: 'Answer the page for consent',
  body: {
    schema: z
      .object({ ticket: z.string(), decision: z.string().describe('`approve` or `deny`.') })
      .meta({ id: 'ConsentDecision' }),
    required: true,
    mediaTypes: FORMS,
  },
  response: { status: 200, description: 'A page, when there is nowhere to go.', mediaTypes: ['text/html'] },
  otherResponses: page,
  example: { body: { ticket: 'from the page', decision: 'approve' } },
} as const satisfies Contract;

export const pushAuthorizationRequest = {
  ...shared,
  id: 'pushAuthorizationRequest',
  method: 'POST',
  path: '/auth/par',
  summary: 'Push an authorization request (RFC 9126)',
  access: 'lab-client',
  body: { schema: AuthorizationParameters, required: true, mediaTypes: FORMS },
  response: {
    status: 201,
    description: 'The request URI.',
    schema: z.object({ request_uri: z.string(), expires_in: z.int() }).meta({ id: 'PushedRequest' }),
  },
  otherResponses: { ...refused, ...refusedWithout },
  example: { body: REQUEST },
} as const satisfies Contract;

export const exchangeToken = {
  ...shared,
  id: 'exchangeToken',
  method: 'POST',
  path: '/auth/token',
  summary: 'Exchange a code or a refresh token',
  access: 'lab-client',
  body: { schema: TokenParameters, required: true, mediaTypes: FORMS },
  response: { status: 200, description: 'The tokens.', schema: TokenAnswer },
  otherResponses: { ...refused, ...refusedWithout },
  example: {
    body: {
      grant_type: 'authorization_code',
      client_id: 'demo-client',
      code: 'from the authorization response',
      redirect_uri: 'https://app.example.com/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  },
} as const satisfies Contract;

export const revokeLabToken = {
  ...shared,
  id: 'revokeLabToken',
  method: 'POST',
  path: '/auth/revoke',
  summary: 'Revoke a token (RFC 7009)',
  access: 'lab-client',
  body: { schema: TokenParameter, required: true, mediaTypes: FORMS },
  response: { status: 200, description: 'Revoked, or not known.', schema: loose },
  otherResponses: { ...refused, ...refusedWithout },
  example: { body: { token: 'an access or refresh token', client_id: 'demo-client' } },
} as const satisfies Contract;

export const introspectLabToken = {
  ...shared,
  id: 'introspectLabToken',
  method: 'POST',
  path: '/auth/introspect',
  summary: 'Introspect a token (RFC 7662)',
  access: 'lab-client',
  body: { schema: TokenParameter, required: true, mediaTypes: FORMS },
  response: { status: 200, description: 'What the token is worth.', schema: Activity },
  otherResponses: { ...refused, ...refusedWithout },
  example: {
    body: { token: 'an access or refresh token', client_id: 'demo-confidential', client_secret: 'demo-secret' },
  },
} as const satisfies Contract;

export const publishKeys = {
  ...shared,
  id: 'publishKeys',
  method: 'GET',
  path: '/auth/jwks',
  summary: "The lab's public keys (RFC 7517)",
  response: {
    status: 200,
    description: 'A JWK set.',
    schema: z.object({ keys: z.array(loose) }).meta({ id: 'JwkSet' }),
    mediaTypes: ['application/jwk-set+json'],
  },
} as const satisfies Contract;

export const describeServer = {
  ...shared,
  id: 'describeServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: "The lab's metadata (RFC 8414)",
  response: { status: 200, description: 'The metadata.', schema: loose },
} as const satisfies Contract;

export const discoverServer = {
  ...shared,
  id: 'discoverServer',
  method: 'GET',
  path: '/.well-known/openid-configuration',
  summary: "The lab's metadata, where OpenID Connect clients look for it",
  response: { status: 200, description: 'The metadata.', schema: loose },
} as const satisfies Contract;

export const compareInLab = {
  id: 'compareInLab',
  method: 'POST',
  path: '/auth/compare',
  tag: 'OAuth lab',
  servedBy: 'lab',
  access: 'public',
  summary: 'Compare a request with the secure configuration',
  description: 'Sends a request to the lab for real, and the same with every control on and without effect.',
  body: { schema: CompareInput, required: true },
  response: {
    status: 200,
    description: 'Both exchanges, and every control that would have refused.',
    schema: z.object({ given: loose, secure: loose, blocked_by: z.array(z.string()) }).meta({ id: 'LabComparison' }),
  },
  errors: ['not_found'],
  example: {
    body: { method: 'GET', path: '/api/data', headers: [['Sluice-Lab-Controls', 'validate-audience=?0']], body: null },
  },
} as const satisfies Contract;

export const readData = {
  ...shared,
  id: 'readData',
  method: 'GET',
  path: '/api/data',
  summary: 'Read the protected resource',
  description: 'Needs an access token of the lab with the scope `profile` and the audience `resource-server`.',
  access: 'lab-token',
  response: { status: 200, description: 'The data, and which checks were made.', schema: loose },
  otherResponses: {
    ...refused,
    ...refusedWithout,
    '403': { description: 'The scope is not enough.', schema: LabErrorSchema },
  },
} as const satisfies Contract;
