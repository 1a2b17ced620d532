import { base64url } from 'jose';
import { DEVICE_GRANT } from '@/lib/contract/lab-paths';
import type { CredentialsSource } from '@/lib/oauth/assessment/client-credentials';
import { explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createPassed,
  requireValue,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { readPublishedKeys } from '@/lib/oauth/controls/published-keys';
import { INVENTED_GRANT } from '@/lib/oauth/controls/token/token-endpoint';
import { createBadCredentials } from '@/lib/oauth/controls/token/unauthenticated';

const REQUIRED = new Set(['authorization_endpoint', 'token_endpoint']);
const POST: RequestInit = { method: 'POST', body: new URLSearchParams() };
const ENDPOINTS: readonly [string, RequestInit][] = [
  ['authorization_endpoint', {}],
  ['token_endpoint', POST],
  ['jwks_uri', {}],
  ['revocation_endpoint', POST],
  ['introspection_endpoint', POST],
  ['pushed_authorization_request_endpoint', POST],
];

/** Returns whether a valid request succeeds at an endpoint. A server may refuse an empty one with 404 or a fault. */
async function isServed(probe: Probe, name: string): Promise<boolean> {
  const ask: Record<string, () => Promise<unknown>> = {
    authorization_endpoint: () => probe.requireAccepted(),
    token_endpoint: () => probe.getReservedTokens(),
  };
  return (await ask[name]?.().then(Boolean, () => false)) ?? false;
}

/** Returns why an answer with a success or a redirect is not one of the endpoint, or null if it is. */
function explainWrongAnswer(name: string, exchange: Exchange): string | null {
  const { status, body } = exchange.response;
  if (status >= 400) return null;
  const isEmpty = body.trim() === '';
  if (name === 'authorization_endpoint') return isEmpty && status < 300 ? 'the answer is empty' : null;
  if (name === 'revocation_endpoint' && status === 200) return null;
  const json = parseResponseJson(exchange);
  const isOwn = name === 'jwks_uri' ? Array.isArray(json.keys) : Object.keys(json).length > 0;
  return isOwn && status < 300 ? null : `the answer (${status}) is not one of such an endpoint`;
}

/** Controls for metadata and keys. */
export const METADATA: readonly Control[] = [
  defineControl({
    id: 'metadata-consistent',
    title: "The metadata matches the server's behaviour",
    wrong: "The metadata contradicts the server's behaviour",
    severity: 'medium',
    area: 'transport',
    source: ['RFC 8414 2', 'RFC 8414 3.3'],
    switchable: false,
    needs: [],
    protectsFrom: 'Clients rely on protection that does not exist.',
    tries: {
      'does token_endpoint answer?': 'RFC 8414 2',
      'a request with S256': 'RFC 8414 2',
      'the implicit grant': 'RFC 8414 2',
      'is the grant password there?': 'RFC 8414 2',
    },
    async probe(probe) {
      const metadata = await probe.fetchServerMetadata();
      const problems: string[] = [];
      const walls: string[] = [];
      if (metadata.issuer === undefined) throw new CannotProbe('inconclusive', 'The server publishes no metadata.');
      if (metadata.issuer !== probe.target.issuer) problems.push('the issuer differs from the requested one');
      for (const [name, init] of ENDPOINTS) {
        const url = metadata[name];
        if (typeof url !== 'string') {
          if (REQUIRED.has(name)) problems.push(`${name} is missing`);
          continue;
        }
        const exchange = await probe.send(`Does ${name} answer?`, url, init);
        const wall = explainWall(exchange) ?? explainWrongAnswer(name, exchange);
        const isMissing = exchange.response.status === 404;
        if ((!isMissing && wall === null) || (await isServed(probe, name))) continue;
        if (isMissing) problems.push(`${name} answers 404`);
        else walls.push(`${name}: ${wall}`);
      }
      if (probe.target.client !== null) problems.push(...(await listContradictions(probe, metadata)));
      return { problems, walls };
    },
    rule({ problems, walls }) {
      if (problems.length > 0) return createFailed(`${problems.join('; ')}.`);
      return walls.length > 0
        ? createInconclusive(`Undecided: ${walls.join('; ')}.`)
        : createPassed('The server does what it advertises.');
    },
  }),
  defineControl({
    id: 'pkce-advertised',
    title: 'PKCE with S256 is advertised',
    wrong: 'PKCE with S256 is not advertised',
    severity: 'low',
    area: 'transport',
    source: ['RFC 9700 2.1.1', 'RFC 8414 2', 'MCP Authorization'],
    switchable: false,
    needs: [],
    protectsFrom: 'Clients cannot know that PKCE protects them: those of MCP refuse to go on, others leave it out.',
    tries: { 'read the metadata': 'RFC 8414 2' },
    async probe(probe) {
      const { issuer, code_challenge_methods_supported: methods } = await probe.fetchServerMetadata();
      return requireValue(issuer, 'Endpoints that are given by hand advertise nothing.', 'not_applicable') && methods;
    },
    rule: (methods) =>
      Array.isArray(methods) && methods.includes('S256')
        ? createPassed('code_challenge_methods_supported names S256.')
        : createFailed('code_challenge_methods_supported does not name S256.'),
  }),
  defineControl({
    id: 'jwks-strength',
    title: 'The published keys are strong and public',
    wrong: 'A published key is weak or secret',
    severity: 'high',
    area: 'transport',
    source: ['RFC 8725 3.5', 'RFC 7518 3.3'],
    oauch: 'SigningKeySecureTest',
    switchable: false,
    needs: [],
    protectsFrom: 'A weak key is broken, or a key that should be secret is published.',
    tries: { 'read the published keys': 'RFC 8725 3.5' },
    probe: readPublishedKeys,
    rule(keys) {
      if (keys.length === 0) return createInconclusive('No key is published.');
      const countBits = (n: string | undefined) => (n === undefined ? 0 : base64url.decode(n).length * 8);
      const problems = keys.flatMap((key) => {
        if (key.kty === 'oct' || key.d !== undefined || key.k !== undefined) return ['a secret key is published'];
        return key.kty === 'RSA' && countBits(key.n) < 2048 ? [`an RSA key has ${countBits(key.n)} bits`] : [];
      });
      return problems.length === 0
        ? createPassed(
            keys.length === 1 ? 'The only key is strong and public.' : `${keys.length} keys, all strong and public.`,
          )
        : createFailed(`${problems.join('; ')}.`);
    },
  }),
];

const PROBED_GRANTS = ['password', 'client_credentials', DEVICE_GRANT, 'refresh_token'];

/** Returns whether a list of the metadata names a value. */
type Claims = (list: string, value: string) => boolean;

/** Names of methods in metadata, where they differ from ours. */
const METHOD_NAMES: Readonly<Record<string, string>> = { basic: 'client_secret_basic', post: 'client_secret_post' };

/** Returns whether a client authenticates with a method that the metadata omits. Public clients are often omitted. */
async function isMethodContradicted(probe: Probe, metadata: Record<string, unknown>): Promise<boolean> {
  // An omitted list means client_secret_basic (RFC 8414 section 2).
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata;
  for (const client of probe.listClients()) {
    const { method } = client.authentication;
    if (method === 'none' || [methods].flat().includes(METHOD_NAMES[method] ?? method)) continue;
    const code = { code: probe.generateRandomText(), verifier: probe.generateRandomText(), client };
    const isTaken = async (label: string, credentials?: CredentialsSource) => {
      const outcome = await probe.redeem(label, code, {}, { credentials });
      return outcome.kind === 'refused' && outcome.error === 'invalid_grant';
    };
    const { 'wrong credentials': wrong } = await createBadCredentials(probe, client);
    // A server that looks at the code first says nothing of the client.
    const isAuthenticated = await isTaken('Does a client authenticate as it does?');
    if (isAuthenticated && !(await isTaken('Is a wrong credential told apart?', wrong))) return true;
  }
  return false;
}

/**
 * Lists features that work but are not advertised, or the reverse. Features that one client may not use are no
 * contradiction.
 */
async function listContradictions(probe: Probe, metadata: Record<string, unknown>): Promise<string[]> {
  const problems: string[] = [];
  const isAdvertised: Claims = (name, value) => {
    const list = metadata[name];
    return Array.isArray(list) && list.includes(value);
  };
  const granted = await probe.authorize('A request with S256');
  if (granted.kind === 'granted') {
    if (!isAdvertised('code_challenge_methods_supported', 'S256') && (await isVerifierChecked(probe)))
      problems.push('S256 works but is not advertised');
    const named = granted.parameters.iss !== undefined;
    if (named !== (metadata.authorization_response_iss_parameter_supported === true)) {
      problems.push('the iss parameter contradicts authorization_response_iss_parameter_supported');
    }
  }
  const implicit = await probe.authorize('The implicit grant', { response_type: 'token' });
  const isImplicit = implicit.kind === 'granted' && implicit.parameters.access_token !== undefined;
  if (isImplicit && !isAdvertised('response_types_supported', 'token')) {
    problems.push('the response type token works but is not advertised');
  }
  if (await isMethodContradicted(probe, metadata))
    problems.push("a client's own way to authenticate is not advertised");
  return [...problems, ...(await listContradictedGrants(probe, isAdvertised))];
}

/** Returns whether the server redeems a code with its S256 verifier only. */
async function isVerifierChecked(probe: Probe): Promise<boolean> {
  const grant = await probe.requestCode();
  const wrong = await probe.redeem('Does a wrong verifier redeem it?', grant, { code_verifier: 'x'.repeat(43) });
  return (
    wrong.kind === 'refused' && (await probe.redeem('Redeem it correctly', await probe.requestCode())).kind === 'issued'
  );
}

/** Lists grants of the token endpoint that work but are not advertised, or the reverse. */
async function listContradictedGrants(probe: Probe, claims: Claims): Promise<string[]> {
  const { grant_types_supported: listed } = await probe.fetchServerMetadata();
  const advertised = Array.isArray(listed) ? listed.map(String).filter(isTokenGrant) : [];
  const ask = (grant_type: string) =>
    probe.sendTokenRequest(`Is the grant ${grant_type} there?`, {
      grant_type,
      username: 'sluice-nobody',
      password: 'sluice-nobody',
      refresh_token: 'invented',
      device_code: 'invented',
    });
  const invented = await ask(INVENTED_GRANT);
  const saysOfAny = invented.kind === 'refused' ? invented.error : null;
  const problems: string[] = [];
  for (const grant of new Set([...PROBED_GRANTS, ...advertised])) {
    const outcome = await ask(grant);
    const exists = outcome.kind === 'issued' || (outcome.error === 'invalid_grant' && saysOfAny !== 'invalid_grant');
    const absent = outcome.kind === 'refused' && outcome.error === 'unsupported_grant_type';
    const isListed = claims('grant_types_supported', grant);
    if (exists && !isListed && grant !== 'refresh_token')
      problems.push(`the grant ${grant} is known but not advertised`);
    if (absent && isListed) problems.push(`the grant ${grant} is advertised and unknown`);
  }
  return problems;
}

/**
 * Returns whether a grant type is sent to the token endpoint: those of RFC 6749 but the code, whose flow is judged
 * elsewhere, and extensions, which are URIs (section 4.5). Servers also list other names, such as `hybrid`, for flows of
 * the browser.
 */
const isTokenGrant = (name: string): boolean => PROBED_GRANTS.includes(name) || URL.canParse(name);
