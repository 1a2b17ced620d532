import { mutant, type SourceMutant } from './source-mutant';

const TOKEN = 'token.ts';
const CLIENT = 'authenticate-client.ts';
const GRANT = 'grant.ts';
const EXCHANGE = 'token-exchange.ts';
const METADATA = 'metadata.ts';
const REVOCATION = 'introspect-and-revoke.ts';
const PARAMETERS = 'parameters.ts';
const ASSERTION = 'client-assertion.ts';
const STATE = 'memory-state.ts';
const PRESENTED = '  if (secret === null) return null;\n';
const CLAIMED = 'if (ticket === undefined || ticket.usedAt !== null) return false;';
const ID_TOKEN = '    aud: grant.clientId,\n';

/** Weaknesses of codes, of the token endpoint and its neighbours, and of ID tokens. */
export const TOKEN_MUTANTS: readonly SourceMutant[] = [
  mutant('max-age', 'does not say when the person signed in', 'grant.ts', '    auth_time: grant.authTime,\n', ''),
  mutant(
    'code-invented',
    'makes a grant of a code that it does not know',
    TOKEN,
    PRESENTED,
    `${PRESENTED}  if (kind === 'code' && (await lab.state.read(kind, hashSecret(secret))) === null) {
    const challenge = { value: hashSecret(request.parameters.get('code_verifier') ?? ''), method: 'S256' };
    const redirectUri = request.parameters.get('redirect_uri');
    const payload = { clientId: request.client.id, scope: 'profile', nonce: null, resources: [], redirectUri, challenge };
    const times = { createdAt: lab.now(), expiresAt: lab.now() + 60_000 };
    await lab.state.put({ kind, hash: hashSecret(secret), payload: JSON.stringify({ ...payload, dpopJkt: null }), ...times });
  }
`,
    { silences: ['code-single-use'] },
  ),
  mutant(
    'code-single-use',
    'never takes a code for used',
    TOKEN,
    "return used ? 'again' : 'first';",
    "return used && kind !== 'code' ? 'again' : 'first';",
    { silences: ['code-race', 'code-reuse-revokes'] },
  ),
  mutant(
    'code-reuse-revokes',
    'revokes the wrong grant',
    TOKEN,
    "revokeGrant(used.mark, 'code-reuse-revokes', lab)",
    "revokeGrant(grantId, 'code-reuse-revokes', lab)",
  ),
  mutant(
    'code-race',
    'looks whether a code is unused, and marks it later',
    STATE,
    CLAIMED,
    `${CLAIMED}\n      if (kind === 'code') await new Promise((done) => setTimeout(done, 5));`,
  ),
  mutant(
    'code-client-binding',
    'lets confidential clients redeem any code',
    TOKEN,
    'if (clientId !== tokenRequest.client.id)',
    'if (clientId !== tokenRequest.client.id && isPublic(tokenRequest.client))',
  ),
  mutant(
    'code-redirect-binding',
    'compares the beginning of the redirect URI',
    TOKEN,
    'sent !== authorized.redirectUri',
    '!sent.startsWith(authorized.redirectUri)',
  ),
  mutant(
    'code-lifetime',
    'redeems codes for a quarter of an hour',
    TOKEN,
    'CODE_LIFETIME * 1000 <= lab.now()',
    '900_000 <= lab.now()',
  ),
  mutant(
    'code-entropy',
    'makes codes of four random characters and a constant end',
    'tickets.ts',
    'base64url.encode(lab.random(32))',
    "kind === 'code' ? base64url.encode(lab.random(3)) + 'A'.repeat(39) : base64url.encode(lab.random(32))",
  ),
  mutant(
    'pkce-verified',
    'needs no verifier',
    TOKEN,
    "if (challenge !== null) invalidGrant('pkce-verified', 'code_verifier is missing.');\n    else if (verifier !== undefined) {",
    'if (challenge === null && verifier !== undefined) {',
  ),
  mutant(
    'pkce-downgrade',
    'overlooks a verifier that nothing asked for',
    TOKEN,
    'else if (verifier !== undefined) {',
    "else if (verifier === '') {",
  ),
  {
    control: 'pkce-method-downgrade',
    weakness: 'compares the verifier with the challenge as well',
    edits: [
      { file: TOKEN, from: 'if (isS256 && isSameSecret(verifier, challenge.value)) {', to: "if (verifier === '') {" },
      {
        file: TOKEN,
        from: '!isSameSecret(isS256 ? hashSecret(verifier) : verifier, challenge.value)',
        to: '![hashSecret(verifier), verifier].some((text) => isSameSecret(text, challenge.value))',
      },
    ],
  },
  mutant(
    'refresh-rotation',
    'rotates the refresh tokens of confidential clients alone',
    TOKEN,
    "const rotates = lab.controls['refresh-rotation'] && !lab.requirements['fapi-no-rotation'];",
    'const rotates = !isPublic(client);',
    { silences: ['refresh-reuse-revokes', 'refresh-race'] },
  ),
  mutant(
    'refresh-reuse-revokes',
    'revokes a family that does not exist',
    TOKEN,
    "revokeGrant(grant.grantId, 'refresh-reuse-revokes', lab)",
    "revokeGrant(generateId(lab), 'refresh-reuse-revokes', lab)",
  ),
  mutant(
    'refresh-race',
    'looks whether a refresh token is unused, and marks it later',
    STATE,
    CLAIMED,
    `${CLAIMED}\n      if (kind === 'refresh') await new Promise((done) => setTimeout(done, 5));`,
  ),
  mutant(
    'refresh-invented',
    'takes an access token for a refresh token',
    TOKEN,
    PRESENTED,
    `${PRESENTED}  if (kind === 'refresh' && secret.startsWith('ey')) {
    const grant = { grantId: generateId(lab), clientId: request.client.id, scope: 'profile', nonce: null, resources: [] };
    const payload = JSON.stringify({ ...grant, thumbprint: null, certificate: null, authTime: 0 });
    const times = { createdAt: lab.now(), expiresAt: lab.now() + 60_000 };
    await lab.state.put({ kind, hash: hashSecret(secret), payload, ...times });
  }
`,
  ),
  mutant(
    'refresh-client-binding',
    'lets confidential clients use any refresh token',
    TOKEN,
    'if (grant.clientId !== client.id) {',
    'if (grant.clientId !== client.id && isPublic(client)) {',
  ),
  mutant(
    'refresh-authentication',
    'forgets client authentication at refresh',
    TOKEN,
    'const refused = request.violations.refusing.length > 0;',
    "const refused = request.violations.refusing.some(({ control }) => kind === 'code' || control !== 'client-authentication');",
  ),
  mutant(
    'refresh-scope',
    'grants whatever scope is asked for',
    TOKEN,
    'if (widened) violations.note(',
    "if (widened && wanted.includes('')) violations.note(",
  ),
  mutant(
    'client-authentication',
    'takes any secret by Basic',
    CLIENT,
    '    return isSameSecret(secret, authentication.secret)',
    "    return request.headers.has('authorization') || isSameSecret(secret, authentication.secret)",
    {
      silences: [
        ...['refresh-authentication', 'credentials-in-uri'],
        ...['device-client-authentication', 'token-exchange-authentication'],
      ],
    },
  ),
  mutant(
    'introspection-authentication',
    'introspects for anybody',
    REVOCATION,
    'if (token === null || violations.refusing.length > 0) return refuse(violations.refusing);',
    'if (token === null) return refuse(violations.refusing);',
  ),
  mutant(
    'revocation-authentication',
    'revokes for anybody',
    REVOCATION,
    '  if (violations.refusing.length > 0) return refuse(violations.refusing);\n  const until',
    "  if (violations.refusing.some(({ error }) => error !== 'invalid_client')) return refuse(violations.refusing);\n  const until",
  ),
  mutant(
    'client-secret-strength',
    'keeps a weak secret',
    'lib/oauth/assessment/lab-target.ts',
    'secretsArePublic: true',
    'secretsArePublic: false',
  ),
  mutant(
    'asymmetric-client-authentication',
    'advertises the algorithm none for assertions',
    METADATA,
    '    token_endpoint_auth_signing_alg_values_supported: CLIENT_KEY_ALGORITHMS,',
    "    token_endpoint_auth_signing_alg_values_supported: ['none', ...CLIENT_KEY_ALGORITHMS],",
  ),
  mutant(
    'basic-authentication',
    'offers no Basic',
    METADATA,
    "['client_secret_basic', 'client_secret_post']",
    "['client_secret_post']",
  ),
  mutant(
    'client-assertion',
    'verifies nothing',
    CLIENT,
    "return problem === null ? null : buildProblem('client-assertion', problem);",
    'return null;',
  ),
  mutant('client-assertion', 'does not look at the issuer', ASSERTION, '      issuer: id,\n', ''),
  mutant(
    'client-assertion',
    'does not look at the audience',
    ASSERTION,
    '      audience: [',
    '      crit: {},\n      unused: [',
  ),
  ...Object.entries({
    'compares the beginning of the audience': 'aud.startsWith(own)',
    'compares the end of the audience': 'aud.endsWith(own)',
    'looks for the audience in its own': 'own.includes(aud)',
  }).map(
    ([weakness, test]): SourceMutant => ({
      control: 'client-assertion',
      weakness,
      edits: [
        { file: ASSERTION, from: '      audience: [', to: '      crit: {},\n      unused: [' },
        {
          file: ASSERTION,
          from: "    if (lab.requirements['fapi-assertion-audience']",
          to: `    const isOwn = (aud: string) => [lab.origin, lab.origin + LAB_PATHS.token].some((own) => ${test});
    if (![aud].flat().some((aud) => isOwn(String(aud)))) return 'The audience is another.';
    if (lab.requirements['fapi-assertion-audience']`,
        },
      ],
    }),
  ),
  mutant(
    'client-assertion',
    'trusts the key that an assertion brings along',
    ASSERTION,
    'await importJWK(publicKey), {',
    "await importJWK((decodeProtectedHeader(assertion).jwk as JWK | undefined) ?? publicKey, 'ES256'), {",
    {},
    [{ file: ASSERTION, from: 'import { decodeJwt,', to: 'import { decodeProtectedHeader, decodeJwt,' }],
  ),
  mutant(
    'client-assertion',
    'takes its public key for a secret',
    ASSERTION,
    `await importJWK(publicKey), {
      algorithms: CLIENT_KEY_ALGORITHMS,`,
    `decodeProtectedHeader(assertion).alg === 'HS256' ? new TextEncoder().encode(JSON.stringify(publicKey)) : await importJWK(publicKey), {
      algorithms: ['HS256', ...CLIENT_KEY_ALGORITHMS],`,
    {},
    [{ file: ASSERTION, from: 'import { decodeJwt,', to: 'import { decodeProtectedHeader, decodeJwt,' }],
  ),
  mutant(
    'client-assertion',
    'ignores critical headers',
    ASSERTION,
    '      requiredClaims: [',
    '      crit: { sluice: true },\n      requiredClaims: [',
  ),
  mutant('client-assertion', 'needs no exp', ASSERTION, "requiredClaims: ['exp', 'jti']", "requiredClaims: ['jti']"),
  mutant(
    'client-assertion',
    'takes expired assertions',
    ASSERTION,
    'clockTolerance: CLOCK_TOLERANCE',
    'clockTolerance: 1_000_000',
  ),
  mutant(
    'client-assertion',
    'takes an assertion twice',
    ASSERTION,
    'return (await lab.state.put(ticket)) ?',
    'return (await lab.state.put(ticket)) !== null ?',
  ),
  {
    control: 'credentials-in-uri',
    weakness: 'reads id and secret from the query',
    edits: [
      { file: CLIENT, from: '([name]) => CREDENTIAL.test(name)', to: "([name]) => name === 'code'" },
      {
        file: CLIENT,
        from: "parameters.get('client_secret');",
        to: "parameters.get('client_secret') ?? query.get('client_secret');",
      },
      {
        file: CLIENT,
        from: "const id = basic?.id ?? parameters.get('client_id') ?? asserted;",
        to: "const id = basic?.id ?? parameters.get('client_id') ?? asserted ?? query.get('client_id');",
      },
    ],
  },
  {
    control: 'token-post-only',
    weakness: 'answers GET',
    edits: [
      {
        file: 'handle-lab-request.ts',
        from: '{ POST: exchangeToken }',
        to: '{ GET: exchangeToken, POST: exchangeToken }',
      },
      {
        file: CLIENT,
        from: 'const parameters = await readBody(request, violations);',
        to: "const parameters = request.method === 'GET' ? readQuery(request) : await readBody(request, violations);",
      },
      { file: CLIENT, from: 'if (query.entries.some(', to: "if (request.method === 'POST' && query.entries.some(" },
    ],
  },
  mutant(
    'token-duplicate-parameters',
    'takes a code twice',
    PARAMETERS,
    "REPEATABLE = new Set(['resource', 'audience'])",
    "REPEATABLE = new Set(['resource', 'audience', 'code'])",
  ),
  mutant(
    'token-client-id-required',
    'takes a token request without a client for one of the first',
    CLIENT,
    'const client = findClient(lab.origin, id);',
    "const client = findClient(lab.origin, id ?? (parameters.get('code') === undefined ? undefined : 'demo-client'));",
  ),
  mutant(
    'token-no-store',
    'lets answers be stored',
    'respond.ts',
    "'Cache-Control': 'no-store'",
    "'Cache-Control': 'no-cache'",
  ),
  {
    control: 'no-password-grant',
    weakness: 'has a password grant for the first client',
    edits: [
      {
        file: TOKEN,
        from: "  ['refresh_token', redeemRefreshToken],\n",
        to: `  ['refresh_token', redeemRefreshToken],
  ['password', async ({ client, violations }) => {
    const isAllowed = client.id === 'demo-client';
    violations.note(null, 'The password is wrong.', isAllowed ? 'invalid_grant' : 'unauthorized_client');
    return null;
  }],
`,
      },
      {
        file: METADATA,
        from: "      'refresh_token',\n",
        to: "      'refresh_token',\n      'password',\n",
      },
    ],
  },
  {
    control: 'password-grant-every-client',
    weakness: 'has a password grant for the second client',
    edits: [
      {
        file: TOKEN,
        from: "  ['refresh_token', redeemRefreshToken],\n",
        to: `  ['refresh_token', redeemRefreshToken],
  ['password', async ({ client, violations }) => {
    const isAllowed = client.id === 'demo-confidential';
    violations.note(null, 'The password is wrong.', isAllowed ? 'invalid_grant' : 'unauthorized_client');
    return null;
  }],
`,
      },
    ],
  },
  mutant('id-token-claims', 'leaves sub out of ID tokens', GRANT, ID_TOKEN, `${ID_TOKEN}    sub: undefined,\n`, {
    silences: ['userinfo-subject'],
  }),
  mutant(
    'id-token-issuer',
    'names another issuer in ID tokens',
    GRANT,
    ID_TOKEN,
    `${ID_TOKEN}    iss: 'https://issuer.example',\n`,
    { silences: ['logout-hint'] },
  ),
  mutant(
    'id-token-audience',
    'makes ID tokens for others, too',
    GRANT,
    ID_TOKEN,
    "    aud: [grant.clientId, 'another'],\n",
    { silences: ['logout-hint'] },
  ),
  mutant(
    'id-token-at-hash',
    'ties ID tokens to something else',
    GRANT,
    'at_hash: hashAccessToken(accessToken)',
    'at_hash: hashAccessToken(grant.clientId)',
  ),
  mutant(
    'id-token-signature',
    'signs ID tokens with a key that it does not publish',
    GRANT,
    '    .sign(privateKey);',
    "    .sign(use === 'id-token' ? (globalThis.foreignKey ??= await (await import('jose')).generateKeyPair('RS256')).privateKey : privateKey);",
    { silences: ['logout-hint'] },
  ),
  mutant(
    'id-token-key-references',
    'names an address of keys in ID tokens',
    GRANT,
    '{ alg: algorithm, typ, kid }',
    "{ alg: algorithm, typ, kid, ...(typ === 'JWT' ? { jku: 'https://issuer.example/keys' } : {}) }",
  ),
  mutant(
    'userinfo-subject',
    'answers UserInfo with the claims of another person',
    'userinfo.ts',
    '{ sub, ...selectUserClaims(scope) }',
    "{ ...selectUserClaims(scope), sub: 'another' }",
  ),
  mutant(
    'token-exchange-authentication',
    'authenticates nobody who exchanges a token',
    CLIENT,
    '  if (problem !== null) violations.note(',
    "  if (problem !== null && !parameters.get('subject_token')) violations.note(",
  ),
  mutant(
    'token-exchange-subject',
    'exchanges revoked tokens',
    EXCHANGE,
    "control !== 'validate-audience');",
    "control !== 'validate-audience' && control !== 'revocation-effective');",
  ),
  mutant(
    'token-exchange-type',
    'exchanges ID tokens as access tokens',
    EXCHANGE,
    "control !== 'validate-audience');",
    "control !== 'validate-audience' && control !== 'token-type-header');",
  ),
  mutant(
    'token-exchange-scope',
    'gives the scope of the client',
    EXCHANGE,
    'if (!wanted.every((value) => granted.includes(value)))',
    'if (!wanted.every((value) => client.scopes.includes(value)))',
  ),
];
