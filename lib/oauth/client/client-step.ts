/** Requests of a client, in the order of a flow. */
export const CLIENT_STEPS = {
  par: {
    label: 'Push the request',
    endpoint: 'pushed_authorization_request_endpoint',
    about: 'Sends the authorization request over the back channel; the browser only carries its reference (RFC 9126).',
  },
  authorize: {
    label: 'Authorize',
    endpoint: 'authorization_endpoint',
    about: 'Opens the page of the server, where a person signs in and agrees. The browser comes back with a code.',
  },
  token: {
    label: 'Token',
    endpoint: 'token_endpoint',
    about: 'Redeems the code, together with the PKCE verifier that only this client knows.',
  },
  userinfo: {
    label: 'Userinfo',
    endpoint: 'userinfo_endpoint',
    about: 'Reads the claims of the person who signed in (OpenID Connect Core section 5.3).',
  },
  resource: {
    label: 'Call a resource',
    endpoint: null,
    about: 'Calls an API with the access token.',
  },
  refresh: {
    label: 'Refresh',
    endpoint: 'token_endpoint',
    about: 'Gets a new access token without the person.',
  },
  introspect: {
    label: 'Introspect',
    endpoint: 'introspection_endpoint',
    about: 'Asks the server what a token is worth (RFC 7662).',
  },
  revoke: {
    label: 'Revoke',
    endpoint: 'revocation_endpoint',
    about: 'Ends a token before its time (RFC 7009).',
  },
  client_credentials: {
    label: 'Client credentials',
    endpoint: 'token_endpoint',
    about: 'Gets a token for the client itself, without a person (RFC 6749 section 4.4).',
  },
} as const;
export type ClientStep = keyof typeof CLIENT_STEPS;
export const CLIENT_STEP_NAMES = Object.keys(CLIENT_STEPS) as readonly ClientStep[];
