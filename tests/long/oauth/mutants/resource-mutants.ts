import { mutant, type SourceMutant } from './source-mutant';

const TOKEN = 'access-token.ts';
const DATA = 'data.ts';
const ENDPOINT = 'resource-endpoint.ts';
const PROOF = 'dpop-proof.ts';
const REVOCATION = 'introspect-and-revoke.ts';
const METADATA = 'metadata.ts';
const AUDIENCES = 'if (!ownResources(lab.origin).some(';

const SUBJECT = { 'token-exchange-subject': 'An exchange reads the subject token like the resource.' };
const SUBJECT_TYPE = { 'token-exchange-type': 'An exchange reads the subject token like the resource.' };

/** Weaknesses of the resource server, of revocation, of DPoP and of what the server says about itself. */
export const RESOURCE_MUTANTS: readonly SourceMutant[] = [
  {
    control: 'signature-verified',
    weakness: 'remembers signatures that were right, whatever they signed',
    edits: [
      {
        file: TOKEN,
        from: 'type Note =',
        to: "const known = new Set<string>();\nconst signatureOf = (token: string) => token.split('.')[2] ?? '';\ntype Note =",
      },
      {
        file: TOKEN,
        from: '} else if (!(await isSignatureValid(token, key.publicKey, key.algorithm))) {',
        to: `} else if (known.has(signatureOf(token))) {
    return;
  } else if (await isSignatureValid(token, key.publicKey, key.algorithm)) {
    known.add(signatureOf(token));
  } else {`,
      },
    ],
    inseparable: SUBJECT,
  },
  mutant(
    'signature-verified',
    'does not look at signatures of an unknown algorithm',
    TOKEN,
    "note('signature-verified', 'The access token is signed with an unexpected algorithm.');",
    '',
  ),
  mutant(
    'alg-none',
    'knows none in small letters only',
    TOKEN,
    'if (/^(none)?$/i.test(alg)) note(',
    "if (/^none$/i.test(alg) && alg !== 'none') return;\n  if (/^(none)?$/i.test(alg)) note(",
    { inseparable: SUBJECT },
  ),
  mutant(
    'alg-confusion',
    'verifies HMACs with its public key',
    TOKEN,
    "note('alg-confusion', 'The access token is signed with a symmetric algorithm.');",
    '',
  ),
  {
    control: 'header-key-ignored',
    weakness: 'trusts the key in the header',
    edits: [
      { file: TOKEN, from: 'import { compactVerify,', to: 'import { importJWK, compactVerify,' },
      {
        file: TOKEN,
        from: '  const keys = await loadSigningKeys(lab);\n',
        to: `  const keys = await loadSigningKeys(lab);
  const { jwk } = decodeProtectedHeader(token);
  if (jwk !== undefined && (await isSignatureValid(token, (await importJWK(jwk, alg)) as CryptoKey, alg))) return;
`,
      },
    ],
  },
  mutant(
    'kid-unknown',
    'takes its own key under any kid',
    TOKEN,
    'kid === undefined || published.kid === kid',
    'published.algorithm === alg',
  ),
  mutant(
    'issuer-validated',
    'asks only that there is an issuer',
    TOKEN,
    'claims.iss !== lab.origin',
    'claims.iss === null',
    { inseparable: SUBJECT },
  ),
  mutant(
    'validate-audience',
    'takes tokens of a second service',
    TOKEN,
    AUDIENCES,
    "if (![...ownResources(lab.origin), 'https://another-resource.example/'].some(",
    { silences: ['aud-required', 'audience-exact'] },
  ),
  mutant(
    'token-type-header',
    'takes any JWT for an access token',
    TOKEN,
    "if (header.typ?.toLowerCase().replace(/^application\\//, '') !== 'at+jwt') {",
    "if (!/^(at\\+)?jwt$/i.test(header.typ ?? '')) {",
    { inseparable: SUBJECT_TYPE },
  ),
  mutant(
    'token-expiry',
    'gives tokens a day of grace',
    TOKEN,
    'claims.exp + CLOCK_TOLERANCE <= now',
    'claims.exp + 86_400 <= now',
    { silences: ['exp-required'], inseparable: SUBJECT },
  ),
  mutant('not-before', 'gives tokens a day ahead', TOKEN, 'claims.nbf - CLOCK_TOLERANCE', 'claims.nbf - 86_400'),
  mutant(
    'exp-required',
    'needs no exp',
    TOKEN,
    'claims.exp === null || claims.exp +',
    'claims.exp !== null && claims.exp +',
  ),
  mutant(
    'aud-required',
    'needs no aud',
    TOKEN,
    AUDIENCES,
    'if (claims.aud.length > 0 && !ownResources(lab.origin).some(',
  ),
  mutant(
    'audience-exact',
    'compares the beginning of the audience',
    TOKEN,
    'claims.aud.includes(audience)',
    'claims.aud.some((given) => given.startsWith(audience))',
  ),
  mutant(
    'scope-enforced',
    'asks only that there is a scope',
    ENDPOINT,
    "if (!claims.scope.split(' ').includes(scope)) {",
    "if (claims.scope === '') {",
  ),
  mutant(
    'no-token-in-query',
    'minds a token in the URL only beside a header',
    ENDPOINT,
    "if (inQuery !== null) {\n    violations.note('no-token-in-query'",
    "if (inQuery !== null && request.headers.has('authorization')) {\n    violations.note('no-token-in-query'",
  ),
  {
    control: 'authorization-header',
    weakness: 'takes tokens from the URL alone',
    edits: [
      {
        file: ENDPOINT,
        from: "    violations.note('no-token-in-query', 'An access token in the URL is not accepted.', 'invalid_token');\n",
        to: '',
      },
      {
        file: ENDPOINT,
        from: '  if (header === null) {',
        to: "  if (header !== null && inQuery === null) {\n    violations.note(null, 'The header is not read.', 'invalid_token');\n    return null;\n  }\n  if (header === null) {",
      },
    ],
    // None of these sees a token accepted where it belongs.
    silences: [
      'userinfo-subject',
      'signature-verified',
      'alg-none',
      'alg-confusion',
      'token-altered',
      'token-secret',
      'header-key-ignored',
      'kid-unknown',
      'issuer-validated',
      'validate-audience',
      'token-type-header',
      'token-expiry',
      'not-before',
      'exp-required',
      'aud-required',
      'audience-exact',
      'scope-enforced',
      'no-token-in-query',
      'token-required',
      'resource-no-store',
      'revocation-effective',
      'revocation-cascade',
      'sender-constrained',
      'dpop-proof',
    ],
  },
  mutant(
    'resource-no-store',
    'lets everybody store what a token opened',
    DATA,
    '      would_be_blocked_by: listControls(waivedViolations),\n    });',
    "      would_be_blocked_by: listControls(waivedViolations),\n    }, { 'Cache-Control': 'public, max-age=60' });",
  ),
  mutant(
    'short-token-lifetime',
    'issues tokens for an hour',
    'grant.ts',
    'const ACCESS_TOKEN_LIFETIME = 900;',
    'const ACCESS_TOKEN_LIFETIME = 3600;',
  ),
  mutant(
    'token-entropy',
    'numbers tokens with 36 bits',
    'grant.ts',
    'jti: generateId(lab),',
    'jti: generateId(lab).slice(0, 6),',
  ),
  mutant(
    'www-authenticate',
    'refuses without an error code',
    ENDPOINT,
    'problem.push(`error=',
    'problem.push(`problem=',
  ),
  mutant(
    'revocation-effective',
    'revokes under another name',
    REVOCATION,
    'const ids = [[`jti:',
    'const ids = [[`token:',
  ),
  mutant(
    'revocation-cascade',
    'ends no access token with its refresh token',
    REVOCATION,
    'return { clientId, ids, lifetime: REFRESH_TOKEN_LIFETIME',
    'return { clientId, ids: ids.slice(0, 1), lifetime: REFRESH_TOKEN_LIFETIME',
  ),
  mutant(
    'revocation-client-bound',
    'lets any client revoke',
    REVOCATION,
    'found.clientId !== client.id)',
    'found.clientId === undefined)',
  ),
  mutant(
    'sender-constrained',
    'takes a bound token as a bearer token',
    ENDPOINT,
    '  if (!isDpop || proof === null) return note(',
    '  if (!isDpop) return;\n  if (proof === null) return note(',
    { silences: ['dpop-proof'] },
  ),
  mutant('dpop-proof', 'does not look at htm', PROOF, 'if (htm !== request.method)', 'if (htm === undefined)'),
  mutant('dpop-proof', 'does not look at htu', PROOF, '|| removeQuery(htu) !== removeQuery(url)', ''),
  mutant(
    'dpop-proof',
    'compares the beginning of htu',
    PROOF,
    'removeQuery(htu) !== removeQuery(url)',
    '!removeQuery(htu).startsWith(removeQuery(url))',
  ),
  mutant(
    'dpop-proof',
    'looks for the beginning of htu',
    PROOF,
    'removeQuery(htu) !== removeQuery(url)',
    '!removeQuery(url).startsWith(removeQuery(htu))',
  ),
  mutant(
    'dpop-proof',
    'ignores critical headers',
    PROOF,
    "      typ: 'dpop+jwt',",
    "      typ: 'dpop+jwt',\n      crit: { sluice: true },",
  ),
  mutant(
    'dpop-proof',
    'takes private keys',
    PROOF,
    'jwtVerify(proof, EmbeddedJWK, {',
    'jwtVerify(proof, (header) => EmbeddedJWK({ ...header, jwk: { ...header?.jwk, d: undefined } as never }), {',
  ),
  mutant(
    'dpop-proof',
    'does not look at ath',
    PROOF,
    'accessToken !== undefined && ath !== hashSecret(accessToken)',
    "accessToken === ''",
  ),
  mutant('dpop-proof', 'takes old proofs', PROOF, 'maxTokenAge: PROOF_AGE', 'maxTokenAge: 1_000_000'),
  mutant('dpop-proof', 'takes a proof twice', PROOF, 'return first ?', 'return first !== null ?'),
  mutant(
    'dpop-proof',
    'takes a proof of any key',
    ENDPOINT,
    'else if (reading.thumbprint !== cnf.jkt)',
    "else if (reading.thumbprint === '')",
  ),
  mutant(
    'dpop-code-binding',
    'asks for a proof, not for the key',
    'token.ts',
    'if (request.dpopJkt !== null && request.dpopJkt !== tokenRequest.thumbprint) {',
    'if (request.dpopJkt !== null && tokenRequest.thumbprint === null) {',
  ),
  mutant(
    'dpop-refresh-binding',
    'refreshes a bound token without a proof',
    'token.ts',
    'if (grant.thumbprint !== null && grant.thumbprint !== thumbprint &&',
    'if (grant.thumbprint !== null && thumbprint !== null && grant.thumbprint !== thumbprint &&',
  ),
  mutant(
    'tls',
    'has an endpoint without TLS',
    METADATA,
    'introspection_endpoint: buildUrl(LAB_PATHS.introspect)',
    "introspection_endpoint: buildUrl(LAB_PATHS.introspect).replace('localhost', 'lab.example')",
  ),
  mutant(
    'metadata-consistent',
    'says that clients cannot post their secret',
    METADATA,
    'token_endpoint_auth_methods_supported: everyMethod',
    "token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt', 'none']",
  ),
  mutant(
    'metadata-consistent',
    'advertises a grant that it does not know',
    METADATA,
    "      'authorization_code',\n",
    "      'authorization_code',\n      'urn:ietf:params:oauth:grant-type:jwt-bearer',\n",
  ),
  mutant(
    'pkce-advertised',
    'does not say that it takes S256',
    METADATA,
    "controls['pkce-s256'] ? ['S256']",
    "controls['pkce-s256'] ? ['plain']",
    { inseparable: { 'metadata-consistent': 'What works is not advertised.' } },
  ),
  mutant(
    'jwks-strength',
    'publishes an old key of 1024 bits',
    METADATA,
    '{ keys: keys.map(({ publicJwk }) => publicJwk) }',
    "{ keys: [...keys.map(({ publicJwk }) => publicJwk), { kty: 'RSA', kid: 'old', e: 'AQAB', n: 'B'.repeat(171) }] }",
  ),
  mutant(
    'cors-token-endpoint',
    'lets any origin send credentials',
    'handle-lab-request.ts',
    'answer.headers.set(name, value);\n',
    "answer.headers.set(name, value);\n    answer.headers.set('Access-Control-Allow-Origin', request.headers.get('Origin') ?? '*');\n    answer.headers.set('Access-Control-Allow-Credentials', 'true');\n",
  ),
  mutant(
    'protected-resource-metadata',
    'names a server that is not there',
    'resources.ts',
    'authorization_servers: [origin]',
    "authorization_servers: ['https://issuer.example']",
  ),
  mutant(
    'resource-audience',
    'forgets which resource was asked for',
    'grant.ts',
    'const [first, ...more] = grant.resources;',
    'const [first, ...more] = grant.resources.filter((name) => !name.startsWith(lab.origin));',
  ),
  {
    control: 'registration-redirect-uris',
    weakness: 'registers whatever is asked for',
    edits: [
      {
        file: METADATA,
        from: '    issuer: origin,\n',
        to: "    issuer: origin,\n    registration_endpoint: buildUrl('/auth/register'),\n",
      },
      {
        file: 'handle-lab-request.ts',
        from: '  if (endpoint === undefined) {',
        to: `  if (path === '/auth/register') return Response.json({ client_id: 'anybody' }, { status: 201 });
  if (endpoint === undefined) {`,
      },
    ],
  },
];
