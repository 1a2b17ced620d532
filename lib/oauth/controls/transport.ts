import { base64url } from 'jose';
import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { inconclusive, passedIf } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { publishedKeys } from '@/lib/oauth/controls/token-parts';

function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

const POST: RequestInit = { method: 'POST', body: new URLSearchParams() };
const ENDPOINTS: Readonly<Record<string, RequestInit>> = {
  authorization_endpoint: {},
  token_endpoint: POST,
  jwks_uri: {},
  revocation_endpoint: POST,
  introspection_endpoint: POST,
  pushed_authorization_request_endpoint: POST,
};

/** TLS, keys, metadata and CORS. */
export const TRANSPORT = controlsIn('transport', [
  defineControl('tls', 'critical', 'Every endpoint uses https, except on a loopback address', {
    source: ['RFC 9700 2.6', 'RFC 6749 3.1', 'OAuch IsHttpsRequiredTest'],
    protectsFrom: 'Anyone on the network path reads codes, tokens and secrets.',
    async probe(probe) {
      const metadata = await probe.metadata();
      const endpoints = Object.entries(metadata).filter(([name]) => /_endpoint$|^jwks_uri$|^issuer$/.test(name));
      const urls = [...endpoints, ['resource', probe.target.resource?.url ?? metadata.issuer] as const];
      return urls.filter(([, url]) => typeof url === 'string' && !isSafe(url)).map(([name]) => name);
    },
    rule: (unsafe) =>
      passedIf(
        unsafe.length === 0,
        'Every endpoint uses https or a loopback address.',
        `Without TLS: ${unsafe.join(', ')}.`,
      ),
  }),
  defineControl('metadata-consistent', 'medium', "The metadata matches the server's behaviour", {
    source: ['RFC 8414 2', 'RFC 8414 3.3'],
    protectsFrom: 'Clients rely on protection that does not exist.',
    async probe(probe) {
      const metadata = await probe.metadata();
      const problems: string[] = [];
      if (metadata.issuer !== probe.target.issuer) problems.push('the issuer differs from the requested one');
      for (const [name, init] of Object.entries(ENDPOINTS)) {
        const url = metadata[name];
        if (typeof url !== 'string') {
          if (/^(authorization|token)_/.test(name)) problems.push(`${name} is missing`);
          continue;
        }
        const { response } = await probe.send(`Does ${name} answer?`, url, init);
        if (response.status === 404 || response.status >= 500) problems.push(`${name} answers ${response.status}`);
      }
      const claims = (name: string, value: string) => Array.isArray(metadata[name]) && metadata[name].includes(value);
      const granted = await probe.authorize('A request with S256');
      if (granted.kind === 'granted') {
        if (!claims('code_challenge_methods_supported', 'S256')) problems.push('S256 works but is not advertised');
        const named = granted.parameters.iss !== undefined;
        if (named !== (metadata.authorization_response_iss_parameter_supported === true)) {
          problems.push('the iss parameter contradicts authorization_response_iss_parameter_supported');
        }
      } else if (granted.kind === 'refused' && claims('code_challenge_methods_supported', 'S256')) {
        problems.push('S256 is advertised but does not work');
      }
      const implicit = await probe.authorize('The implicit grant', { response_type: 'token' });
      if (implicit.kind !== 'page' && (implicit.kind === 'granted') !== claims('response_types_supported', 'token')) {
        problems.push('the response type token contradicts response_types_supported');
      }
      return problems;
    },
    rule: (problems) =>
      passedIf(problems.length === 0, 'The server does what it advertises.', `${problems.join('; ')}.`),
  }),
  defineControl('jwks-strength', 'high', 'The published keys are strong and public', {
    source: ['RFC 8725 3.5', 'OAuch SigningKeySecureTest'],
    protectsFrom: 'A weak key is broken, or a key that should be secret is published.',
    probe: publishedKeys,
    rule(keys) {
      if (keys.length === 0) return inconclusive('No key is published.');
      const bits = (n: string | undefined) => (n === undefined ? 0 : base64url.decode(n).length * 8);
      const problems = keys.flatMap((key) => {
        if (key.kty === 'oct' || key.d !== undefined || key.k !== undefined) return ['a secret key is published'];
        return key.kty === 'RSA' && bits(key.n) < 2048 ? [`an RSA key has ${bits(key.n)} bits`] : [];
      });
      return passedIf(problems.length === 0, `${keys.length} keys, all strong and public.`, `${problems.join('; ')}.`);
    },
  }),
  defineControl('cors-token-endpoint', 'low', 'CORS allows no foreign origin to send credentials', {
    source: ['RFC 9700 2.6'],
    protectsFrom: 'A page that the user visits talks to the token endpoint in their name.',
    async probe(probe) {
      const origin = 'https://unregistered.example';
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const endpoint = await probe.endpoint('token_endpoint');
      const preflight = await probe.send('A preflight from a foreign origin', endpoint, { method: 'OPTIONS', headers });
      const allowed = responseHeader(preflight, 'access-control-allow-origin') ?? '';
      const credentials = responseHeader(preflight, 'access-control-allow-credentials') === 'true';
      return ['*', 'null', origin].includes(allowed) && credentials;
    },
    rule: (open) => passedIf(!open, 'A foreign origin may not send credentials.', 'Any origin may send credentials.'),
  }),
]);
