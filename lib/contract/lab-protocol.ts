import { z } from 'zod';
import { DATA_METADATA_PATH, DEVICE_GRANT, LAB_PATHS, TOKEN_EXCHANGE_GRANT } from '@/lib/contract/lab-paths';
import { created, object, ok, resource } from '@/lib/contract/resource';

/** Declares a required body, as a form or in JSON. */
export function form<S extends z.ZodType>(schema: S) {
  return { schema, required: true, mediaTypes: ['application/x-www-form-urlencoded', 'application/json'] } as const;
}

const LabHeaders = z.object({
  'Sluice-Lab-Controls': z
    .string()
    .optional()
    .describe(
      'RFC 9651 dictionary of booleans that switches off single controls for this request. Without it every control is on. The keys `fapi-...` switch on what FAPI 2.0 requires beyond OAuth 2.1.',
    )
    .meta({ example: 'require-pkce=?0, validate-audience=?0' }),
});

const LabErrorSchema = z
  .looseObject({
    error: z.string(),
    error_description: z.string(),
    blocked_by: z.array(z.string()).describe('Every control that refuses, not only the first.'),
  })
  .meta({ id: 'LabError', description: 'RFC 6749 or RFC 6750 error.' });

const AuthorizationParameters = z
  .object({
    response_type: z.string().describe('`code`.'),
    client_id: z.string().meta({ example: 'demo-client' }),
    redirect_uri: z
      .string()
      .describe('A registered URI, character for character.')
      .meta({ example: 'https://app.example.com/callback' }),
    scope: z
      .string()
      .optional()
      .describe('Of `openid`, `profile`, `email`, `offline_access`.')
      .meta({ example: 'openid profile' }),
    state: z.string(),
    nonce: z.string(),
    code_challenge: z.string().optional().describe('RFC 7636; required unless `require-pkce` is off.'),
    code_challenge_method: z.string().optional().describe('`S256`.'),
    resource: z.string().optional().describe('RFC 8707.'),
    request: z
      .string()
      .optional()
      .describe('A request object (RFC 9101) that `demo-key` has signed; only its parameters count.'),
    request_uri: z
      .string()
      .optional()
      .describe('URI of a pushed request (RFC 9126), in place of the other parameters.'),
    dpop_jkt: z.string().optional().describe('RFC 9449, section 10: the key that the code is bound to.'),
    prompt: z.string().describe('`none` alone, or of `login`, `consent`, `select_account`.'),
    max_age: z.string().optional().describe('Seconds.'),
    response_mode: z.string().optional().describe('`query` or `form_post`.'),
  })
  .partial()
  .meta({ id: 'AuthorizationRequest' });

/** Credentials in the body, in place of HTTP Basic: `client_secret_post` or `private_key_jwt`. */
export const credentials = {
  client_secret: z.string().optional(),
  client_assertion: z.string().optional().describe('RFC 7523, section 2.2.'),
  client_assertion_type: z.string().optional(),
};

const TokenParameter = object('TokenToJudge', {
  token: z.string(),
  token_type_hint: z.string().optional(),
  client_id: z.string().optional(),
  ...credentials,
});

const AnyObject = z.looseObject({});

const REFUSED = { '400': { description: 'An error of RFC 6749 or RFC 6750.', schema: LabErrorSchema } };
const UNAUTHORIZED = {
  ...REFUSED,
  '401': { description: 'The client or the token was not accepted.', schema: LabErrorSchema },
};
/** Answers for browsers: a redirect, or a page if a redirect is not safe. */
const REDIRECT = {
  '400': {
    description: 'A page that explains why there is no redirect; JSON if `Sluice-Lab-Controls` is malformed.',
    schema: LabErrorSchema,
    mediaTypes: ['text/html', 'application/json'],
  },
  '303': {
    description: 'To the registered redirect URI, with the code or the error.',
    headers: { Location: 'The redirect URI with its parameters.' },
  },
};

/** Fields of all operations of the lab. It answers `not_found` with `SLUICE_LAB=off`. */
export const lab = {
  tag: 'OAuth lab',
  servedBy: 'lab',
  headers: LabHeaders,
  otherResponses: REFUSED,
  errors: ['not_found', 'service_unavailable'],
} as const;
export const inBrowser = { ...lab, otherResponses: REDIRECT };
export const ofClient = { ...lab, otherResponses: UNAUTHORIZED };

const REQUEST = {
  response_type: 'code',
  client_id: 'demo-client',
  redirect_uri: 'https://app.example.com/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
} as const;
const SCOPED_REQUEST = { ...REQUEST, scope: 'openid profile', state: 'af0ifjsldkj' } as const;

export const authorize = resource(LAB_PATHS.authorize, inBrowser).get('authorize', 'public', {
  summary: 'Ask for authorization in a browser',
  description: 'Shows a consent page and redirects to registered URIs only.',
  query: AuthorizationParameters,
  example: { query: SCOPED_REQUEST },
  response: { status: 200, description: 'A page.', mediaTypes: ['text/html'] },
});

export const authorizeByPost = resource(LAB_PATHS.authorize, lab).post('authorizeByPost', 'public', {
  summary: 'Ask for authorization',
  description: 'Answers with JSON and never redirects.',
  body: form(AuthorizationParameters),
  example: { body: SCOPED_REQUEST },
  response: ok(
    'The code, and the address a browser would be redirected to with it.',
    z
      .looseObject({
        code: z.string(),
        state: z.string(),
        iss: z.string(),
        redirect_uri: z.string(),
        redirect_to: z.string().describe('The redirect target.'),
        expires_in: z.int(),
      })
      .partial()
      .meta({ id: 'AuthorizationResponse' }),
  ),
});

export const decideConsent = resource(LAB_PATHS.decision, inBrowser).post('decideConsent', 'public', {
  summary: 'Submit the consent page',
  body: form(object('ConsentDecision', { ticket: z.string(), decision: z.string().describe('`approve` or `deny`.') })),
  example: { body: { ticket: 'from the page', decision: 'approve' } },
  response: { status: 200, description: 'A page, if there is no address to redirect to.', mediaTypes: ['text/html'] },
});

const par = resource(LAB_PATHS.par, ofClient);

export const pushAuthorizationRequest = par.post('pushAuthorizationRequest', 'lab-client', {
  summary: 'Push an authorization request (RFC 9126)',
  body: form(AuthorizationParameters),
  example: { body: REQUEST },
  response: created('The request URI.', object('PushedRequest', { request_uri: z.string(), expires_in: z.int() })),
});

export const exchangeToken = resource(LAB_PATHS.token, ofClient).post('exchangeToken', 'lab-client', {
  summary: 'Exchange a code, a refresh token, a device code or a subject token',
  body: form(
    z
      .object({
        grant_type: z
          .string()
          .describe(`\`authorization_code\`, \`refresh_token\`, \`${DEVICE_GRANT}\` or \`${TOKEN_EXCHANGE_GRANT}\`.`),
        code: z.string(),
        redirect_uri: z.string(),
        code_verifier: z.string(),
        refresh_token: z.string(),
        device_code: z.string(),
        scope: z.string(),
        resource: z.string(),
        subject_token: z.string().describe('RFC 8693: an access token of the lab.'),
        subject_token_type: z.string(),
        actor_token: z.string(),
        actor_token_type: z.string(),
        requested_token_type: z.string(),
        audience: z.string().describe('Like `resource`, in a token exchange.'),
        client_id: z.string(),
        ...credentials,
      })
      .partial()
      .meta({ id: 'TokenRequest' }),
  ),
  example: {
    body: {
      grant_type: 'authorization_code',
      client_id: 'demo-client',
      code: 'from the authorization response',
      redirect_uri: 'https://app.example.com/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  },
  response: ok(
    'The tokens.',
    z
      .looseObject({
        access_token: z.string(),
        token_type: z.string(),
        expires_in: z.int(),
        refresh_token: z.string().optional(),
        issued_token_type: z.string().optional(),
        scope: z.string(),
        id_token: z.string().optional(),
      })
      .meta({ id: 'TokenResponse' }),
  ),
});

export const revokeLabToken = resource(LAB_PATHS.revoke, ofClient).post('revokeLabToken', 'lab-client', {
  summary: 'Revoke a token (RFC 7009)',
  body: form(TokenParameter),
  example: { body: { token: 'an access or refresh token', client_id: 'demo-client' } },
  response: ok('Revoked, or unknown.', AnyObject),
});

export const introspectLabToken = resource(LAB_PATHS.introspect, ofClient).post('introspectLabToken', 'lab-client', {
  summary: 'Introspect a token (RFC 7662)',
  body: form(TokenParameter),
  example: {
    body: { token: 'an access or refresh token', client_id: 'demo-confidential', client_secret: 'demo-secret' },
  },
  response: ok('The introspection result.', z.looseObject({ active: z.boolean() }).meta({ id: 'TokenActivity' })),
});

export const publishKeys = resource(LAB_PATHS.jwks, lab).get('publishKeys', 'public', {
  summary: "The lab's public keys (RFC 7517)",
  response: {
    ...ok('A JWK set.', object('JwkSet', { keys: z.array(AnyObject) })),
    mediaTypes: ['application/jwk-set+json'],
  },
});

const userinfo = resource(LAB_PATHS.userinfo, ofClient);
const ofToken = { ...UNAUTHORIZED, '403': { description: 'The scope is not enough.', schema: LabErrorSchema } };
const claims = {
  summary: 'Read the claims about the user',
  description: 'OpenID Connect Core, section 5.3: needs the scope `openid`; `profile` and `email` add claims.',
  response: ok(
    'The claims.',
    object('UserClaims', {
      sub: z.string(),
      name: z.string().optional(),
      email: z.string().optional(),
      email_verified: z.boolean().optional(),
    }),
  ),
  otherResponses: ofToken,
} as const;

export const readUserinfo = userinfo.get('readUserinfo', 'lab-token', claims);

export const readUserinfoByPost = userinfo.post('readUserinfoByPost', 'lab-token', {
  ...claims,
  summary: 'Read the claims about the user by POST',
});

export const describeServer = resource(LAB_PATHS.metadata, lab).get('describeServer', 'public', {
  summary: "The lab's metadata (RFC 8414)",
  response: ok('The metadata.', AnyObject),
});

export const discoverServer = resource(LAB_PATHS.discovery, lab).get('discoverServer', 'public', {
  summary: "The lab's metadata, where OpenID Connect clients look for it",
  response: ok('The metadata.', AnyObject),
});

export const readData = resource(LAB_PATHS.data, ofClient).get('readData', 'lab-token', {
  summary: 'Read the protected resource',
  description: 'Needs an access token of the lab with the scope `profile` and the audience `resource-server`.',
  response: ok('The data, and the checks made.', AnyObject),
  otherResponses: ofToken,
});

export const describeOrigin = resource(LAB_PATHS.resourceMetadata, lab).get('describeOrigin', 'public', {
  summary: 'The metadata of this origin as a protected resource (RFC 9728)',
  response: ok('The metadata.', AnyObject),
});

export const describeData = resource(DATA_METADATA_PATH, lab).get('describeData', 'public', {
  summary: 'The metadata of `/api/data` as a protected resource (RFC 9728)',
  response: ok('The metadata.', AnyObject),
});
