import { mutant, type SourceMutant } from './source-mutant';

const REQUEST = 'authorization-request.ts';
const AUTHORIZE = 'authorize.ts';
const PAGES = 'browser-answers.ts';
const PARAMETERS = 'parameters.ts';
const EXACT = 'registered === value || isLoopbackVariant';
const LOGOUT = 'logout.ts';
const METADATA = 'metadata.ts';
const PUSHED = 'pushed-request.ts';

/** Weaknesses of the authorization endpoint and of pushed requests. */
export const AUTHORIZATION_MUTANTS: readonly SourceMutant[] = [
  mutant(
    'strict-redirect-uri',
    'compares without letter case',
    REQUEST,
    EXACT,
    'registered.toLowerCase() === value.toLowerCase() || isLoopbackVariant',
    // What is taken without pushing is judged there.
    { silences: ['par-redirect-uri'] },
  ),
  mutant(
    'redirect-uri-wildcard',
    'takes whatever continues the last path segment',
    REQUEST,
    EXACT,
    'isGlobMatch(registered, value) || registered === value || isLoopbackVariant',
    { silences: ['par-redirect-uri'] },
  ),
  mutant(
    'redirect-uri-scheme',
    'compares what follows the scheme',
    REQUEST,
    EXACT,
    'removeScheme(registered) === removeScheme(value) || isLoopbackVariant',
  ),
  mutant(
    'redirect-uri-fragment',
    'cuts the fragment off before it compares',
    REQUEST,
    EXACT,
    "registered === value.replace(/#.*$/, '') || isLoopbackVariant",
  ),
  mutant(
    'redirect-uri-confusion',
    'cuts off what follows a space before it compares',
    REQUEST,
    EXACT,
    "registered === value.replace(/\\/%20.*$/, '') || isLoopbackVariant",
  ),
  mutant(
    'code-pollution',
    'lets a redirect URI bring a code along',
    REQUEST,
    EXACT,
    "registered === value.replace(/\\?code=\\w+$/, '') || isLoopbackVariant",
  ),
  mutant(
    'redirect-uri-required',
    'takes the first of several registered URIs',
    REQUEST,
    'if (only !== undefined && more.length === 0)',
    'if (only !== undefined)',
  ),
  mutant(
    'loopback-port',
    'compares the port of loopback addresses',
    REQUEST,
    'ours[1] === sent[1]',
    'ours[1] === sent[1] && ours[2] === sent[2]',
  ),
  mutant(
    'no-open-redirect-on-error',
    'sends a bad scope to the address that was asked for',
    AUTHORIZE,
    "if (lab.controls['no-open-redirect-on-error'] ||",
    "if (violations.refusing.every(({ error }) => error !== 'invalid_scope') ||",
  ),
  mutant(
    'require-pkce',
    'takes a state in place of PKCE',
    REQUEST,
    "    violations.note('require-pkce'",
    "    if (parameters.get('state') === undefined) violations.note('require-pkce'",
  ),
  mutant(
    'pkce-s256',
    'takes plain where it is named',
    REQUEST,
    "if (method !== 'S256') {",
    'if (method === undefined) {',
  ),
  {
    control: 'pkce-challenge-syntax',
    weakness: 'takes short challenges',
    edits: [
      { file: REQUEST, from: '{43,128}$/.test(value)', to: '{42,128}$/.test(value)' },
      { file: REQUEST, from: '[A-Za-z0-9_-]{43}$/.test(value)', to: '[A-Za-z0-9_-]{42,43}$/.test(value)' },
    ],
  },
  mutant(
    'response-type-code',
    'has a hybrid grant',
    REQUEST,
    "responseTypes.join(' ') !== 'code')",
    "responseTypes.join(' ').replace(/^code token$/, 'code') !== 'code')",
  ),
  mutant(
    'client-unknown',
    'takes an unknown client for the first',
    'clients.ts',
    '(client) => client.id === id) ?? null',
    '(client) => client.id === id) ?? (id === undefined ? null : (listLabClients(origin)[0] ?? null))',
  ),
  mutant(
    'scope-limits',
    'refuses only where no scope is registered',
    REQUEST,
    'values.some((value) => !client.scopes',
    'values.every((value) => !client.scopes',
  ),
  mutant(
    'duplicate-parameters',
    'takes a scope twice',
    PARAMETERS,
    "REPEATABLE = new Set(['resource', 'audience'])",
    "REPEATABLE = new Set(['resource', 'audience', 'scope'])",
  ),
  mutant(
    'unknown-parameter-ignored',
    'refuses parameters that it does not know',
    PARAMETERS,
    '      seen.add(name);\n',
    "      seen.add(name);\n      if (name === 'sluice_unknown') violations.note(null, 'A parameter is not known.');\n",
  ),
  {
    control: 'client-id-mixup',
    weakness: 'authenticates one client and serves another',
    edits: [
      {
        file: 'authenticate-client.ts',
        from: 'if (new Set(named.filter((id) => id !== undefined)).size > 1) {',
        to: "if (query.getAll('client_id').length > 1) {",
      },
      {
        file: 'authenticate-client.ts',
        from: "  const id = basic?.id ?? parameters.get('client_id') ?? asserted;\n",
        to: `  const id = parameters.get('client_id') ?? basic?.id ?? asserted;
  const first = findClient(lab.origin, basic?.id);
  const isKnown = first?.authentication.method === 'secret' && isSameSecret(basic?.secret ?? '', first.authentication.secret);
  if (id !== basic?.id && isKnown) return findClient(lab.origin, id);
`,
      },
    ],
  },
  mutant(
    'resource-target',
    'takes any resource',
    'resources.ts',
    'if (!resources.every((resource) => [...own, OTHER_SERVICE].includes(resource)))',
    "if (!resources.every((resource) => resource.startsWith('https:') || own.includes(resource)))",
  ),
  mutant(
    'require-state',
    'asks for neither state nor PKCE',
    REQUEST,
    'if (state === null && challenge === null && !nonceProtects) {',
    "if (state === '' && challenge === null && !nonceProtects) {",
  ),
  mutant('state-intact', 'cuts a state at 64 characters', AUTHORIZE, '{ state }),', '{ state: state.slice(0, 64) }),'),
  mutant(
    'issuer-in-response',
    'names another issuer',
    AUTHORIZE,
    '{ iss: lab.origin }',
    "{ iss: lab.origin.concat('/') }",
  ),
  mutant(
    'nonce-returned',
    'cuts the nonce',
    'grant.ts',
    '{ nonce: grant.nonce }',
    '{ nonce: grant.nonce.slice(0, 8) }',
  ),
  mutant(
    'fragment-fix',
    'answers in the fragment',
    AUTHORIZE,
    "if ('access_token' in response || 'id_token' in response) url.hash",
    "if ('code' in response) url.hash",
  ),
  mutant(
    'form-post',
    'advertises form_post, and redirects',
    AUTHORIZE,
    "return responseMode === 'form_post' ? redirectUri",
    "return responseMode === '' ? redirectUri",
  ),
  mutant(
    'user-consent',
    'asks only where the client wants it',
    AUTHORIZE,
    "controls['user-consent'] || maxAge",
    'controls === null || maxAge',
    { silences: ['frame-protection', 'content-security-policy', 'referrer-policy', 'redirect-303'] },
  ),
  mutant('frame-protection', 'lets any site frame the page', PAGES, "frame-ancestors 'none'", 'frame-ancestors *'),
  mutant(
    'content-security-policy',
    'allows any script',
    PAGES,
    '"default-src \'none\'"',
    '"default-src * \'unsafe-inline\'"',
  ),
  mutant(
    'referrer-policy',
    'sends the whole address',
    PAGES,
    "'Referrer-Policy': 'no-referrer'",
    "'Referrer-Policy': 'unsafe-url'",
  ),
  mutant('redirect-303', 'redirects with 307', PAGES, '{ status: 303, headers }', '{ status: 307, headers }'),
  mutant(
    'consent-ticket-once',
    'takes an answer again',
    'decision.ts',
    'if (stored === null || !(await lab.state.claim(kind, stored.hash, lab.now(), null))) return',
    'if (stored === null) return',
  ),
  mutant(
    'authorize-cors',
    'answers CORS at the authorization endpoint',
    'handle-lab-request.ts',
    '  if (CALLED_BY_SCRIPTS.has(path)) {',
    '  if (CALLED_BY_SCRIPTS.has(path) || path === LAB_PATHS.authorize) {',
  ),
  {
    control: 'par',
    weakness: 'takes a request_uri again and again',
    edits: [
      { file: PUSHED, from: 'const refused = ticket.usedAt === null ?', to: 'const refused = ticket.usedAt !== 0 ?' },
      {
        file: PUSHED,
        from: '  return (await lab.state.claim(',
        to: "  return pushed !== '' || (await lab.state.claim(",
      },
    ],
  },
  mutant(
    'par-authentication',
    'takes pushed requests of anybody',
    PUSHED,
    '  if (violations.refusing.length > 0) return refuse(violations.refusing);\n  const bound',
    "  if (violations.refusing.some(({ error }) => error !== 'invalid_client')) return refuse(violations.refusing);\n  const bound",
  ),
  mutant(
    'par-client-bound',
    'does not look whose request_uri it is',
    PUSHED,
    "if (parameters.get('client_id') !== sent.get('client_id')) {",
    "if (parameters.get('client_id') === undefined) {",
  ),
  mutant(
    'par-required',
    'says that it requires pushed requests',
    METADATA,
    "require_pushed_authorization_requests: requirements['fapi-pushed-requests']",
    'require_pushed_authorization_requests: true',
  ),
  mutant(
    'par-entropy',
    'gives a request_uri of 32 bits',
    'tickets.ts',
    'base64url.encode(lab.random(32))',
    "base64url.encode(lab.random(kind === 'par' ? 4 : 32))",
  ),
  mutant(
    'par-redirect-uri',
    'checks the redirect URI only when it is used',
    PUSHED,
    '  if (violations.refusing.length > 0) return refuse(violations.refusing);\n  const bound',
    "  if (violations.refusing.some(({ control }) => control !== 'strict-redirect-uri')) return refuse(violations.refusing);\n  const bound",
  ),
  mutant(
    'jar-signature',
    'believes request objects of clients without a key',
    'request-object.ts',
    "    return refuseWith('The client has no key registered for request objects.');",
    `    const claims: object = JSON.parse(Buffer.from(object.split('.')[1] ?? '', 'base64url').toString());
    const parameters = Object.entries(claims).filter(([name]) => !OF_THE_JWT.has(name));
    return new Parameters(parameters.map(([name, value]) => [name, String(value)]));`,
  ),
  mutant(
    'jar-parameters',
    'lets parameters beside a request object replace those in it',
    'request-object.ts',
    'new Parameters(signed);',
    `new Parameters([
      ...signed.filter(([name]) => name === 'client_id' || parameters.get(name) === undefined),
      ...parameters.entries.filter(([name]) => !['client_id', 'request'].includes(name)),
    ]);`,
  ),
  mutant('markup-escaped', 'posts the state as it came', PAGES, 'escapeHtml(value)', 'value'),
  mutant(
    'logout-redirect-uri',
    'takes any address that begins like a registered one',
    LOGOUT,
    'client?.postLogoutRedirectUris.includes(uri) ?? false',
    'client?.postLogoutRedirectUris.some((registered) => uri.startsWith(registered)) ?? false',
  ),
  mutant(
    'logout-hint',
    'does not verify ID tokens',
    LOGOUT,
    'if (!(await isSignedByLab(token, lab)))',
    'if (token === lab.origin)',
  ),
  mutant(
    'logout-state',
    'adds the state without encoding it',
    LOGOUT,
    "if (state !== undefined) url.searchParams.append('state', state);",
    "if (state !== undefined) url.search += '&state='.concat(state);",
  ),
];
