/** What an operation is called with in the document's examples. A test parses each by the operation's own schema. */
export interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
}

const KEY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';
const ADDRESS = { type: 'ip', identifier: '203.0.113.7' };

/** By operation id. Operations without parameters and body need none. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  addAllowlistEntry: { body: { ...ADDRESS, reason: 'Office network', expires_at: null } },
  removeAllowlistEntry: { body: ADDRESS },
  listAllowlist: { query: { limit: '50' } },
  resetCounters: { body: { ...ADDRESS, class: 'auth' } },
  inspectCounters: { query: ADDRESS },
  getQuota: { params: { api_key: KEY } },
  resetQuota: { params: { api_key: KEY }, body: { reason: 'Billing dispute' } },
  changeTier: { params: { api_key: KEY }, body: { tier: 'business' } },
  listApiKeys: { query: { limit: '50' } },
  createApiKey: { body: { name: 'Reports', tier: 'starter', client_type: 'confidential' } },
  getApiKey: { params: { id: KEY } },
  updateApiKey: { params: { id: KEY }, body: { name: 'Reports, nightly' } },
  revokeApiKey: { params: { id: KEY } },
  rotateApiKey: { params: { id: KEY }, body: { grace_seconds: 3600 } },
  patchPolicies: { body: { classes: { auth: { ip: { limit: 20 } } } } },
  dryRunPolicies: { body: { classes: { auth: { ip: { limit: 5 } } } } },
  replaceRouteRules: { body: [{ method: 'POST', path: '/api/transfers', class: 'sensitive', cost: 5 }] },
  listOverrides: { query: { limit: '50' } },
  putOverride: { body: { ...ADDRESS, class: 'read', limit: 1000, window_seconds: 60, reason: 'Partner crawler' } },
  removeOverride: { body: { ...ADDRESS, class: 'read' } },
  listDecisions: { query: { outcome: 'refused', class: 'auth', limit: '50' } },
  listAudit: { query: { action: 'allowlist', limit: '50' } },
  verifyAuditLog: {},
  readStatistics: { query: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z', step: '900' } },
  readKeyStatistics: { params: { id: KEY }, query: { days: '30' } },
  forecastQuotas: { query: { threshold: '80' } },
  createToken: { body: { name: 'Deployment', role: 'operator' } },
  revokeToken: { params: { id: KEY } },
  inviteMember: { body: { email: 'ada@example.com', role: 'viewer' } },
  updateMember: { params: { id: KEY }, body: { role: 'operator' } },
  updateNamedMember: { body: { email: 'ada@example.com', role: 'operator' } },
  removeMember: { params: { id: KEY } },
  removeNamedMember: { body: { email: 'ada@example.com' } },
  changeOwnPassword: { body: { current_password: 'what it was', new_password: 'what it shall be' } },
  check: { body: { class: 'read', ip: '203.0.113.7', user_id: 'alice' } },
  checkBatch: {
    body: [
      { class: 'read', ip: '203.0.113.7' },
      { method: 'POST', path: '/api/orders', user_id: 'alice' },
    ],
  },
  envoyAuthorization: { params: { path: 'api/orders' } },
  envoyAuthorizationByPost: { params: { path: 'api/orders' } },
  envoyAuthorizationByPut: { params: { path: 'api/orders/7' } },
  envoyAuthorizationByPatch: { params: { path: 'api/orders/7' } },
  envoyAuthorizationByDelete: { params: { path: 'api/orders/7' } },
  authorize: {
    query: {
      response_type: 'code',
      client_id: 'demo-client',
      redirect_uri: 'https://app.example.com/callback',
      scope: 'openid profile',
      state: 'af0ifjsldkj',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  authorizeByPost: {
    body: {
      response_type: 'code',
      client_id: 'demo-client',
      redirect_uri: 'https://app.example.com/callback',
      scope: 'openid profile',
      state: 'af0ifjsldkj',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  decideConsent: { body: { ticket: 'from the page', decision: 'approve' } },
  pushAuthorizationRequest: {
    body: {
      response_type: 'code',
      client_id: 'demo-client',
      redirect_uri: 'https://app.example.com/callback',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  },
  exchangeToken: {
    body: {
      grant_type: 'authorization_code',
      client_id: 'demo-client',
      code: 'from the authorization response',
      redirect_uri: 'https://app.example.com/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  },
  revokeLabToken: { body: { token: 'an access or refresh token', client_id: 'demo-client' } },
  compareInLab: {
    body: { method: 'GET', path: '/api/data', headers: [['Sluice-Lab-Controls', 'validate-audience=?0']], body: null },
  },
  introspectLabToken: {
    body: { token: 'an access or refresh token', client_id: 'demo-confidential', client_secret: 'demo-secret' },
  },
  auditLab: { body: { off: ['require-pkce', 'validate-audience'] } },
  auditServer: {
    body: {
      issuer: 'https://login.example.com',
      client: { client_id: 'my-client', redirect_uri: 'https://app.example.com/callback' },
      scope: 'openid profile',
    },
  },
  playLabReplay: { params: { replay: 'token-replay' }, body: { off: ['validate-audience'] } },
};
