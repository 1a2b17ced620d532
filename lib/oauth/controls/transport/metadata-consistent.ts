import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

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

export default defineControl({
  id: 'metadata-consistent',
  title: 'The metadata is true',
  severity: 'medium',
  area: 'transport',
  source: ['RFC 8414 2', 'RFC 8414 3.3'],
  switchable: false,
  protectsFrom: 'Clients rely on protection that is not there.',
  async probe(probe) {
    const metadata = await probe.metadata();
    const problems: string[] = [];
    if (metadata.issuer !== probe.target.issuer) problems.push('the issuer is not the one that was asked for');
    for (const [name, init] of ENDPOINTS) {
      const url = metadata[name];
      if (typeof url !== 'string') {
        if (REQUIRED.has(name)) problems.push(`${name} is missing`);
        continue;
      }
      const { response } = await probe.send(`Does ${name} answer?`, url, init);
      if (response.status === 404 || response.status >= 500) problems.push(`${name} answers ${response.status}`);
    }
    const claims = (name: string, value: string) => Array.isArray(metadata[name]) && metadata[name].includes(value);
    const granted = await probe.authorize('A request with S256');
    if (granted.kind === 'granted') {
      if (!claims('code_challenge_methods_supported', 'S256')) problems.push('S256 is not advertised, and works');
      const named = granted.parameters.iss !== undefined;
      if (named !== (metadata.authorization_response_iss_parameter_supported === true)) {
        problems.push('what is said about iss in the response is not what is seen');
      }
    } else if (granted.kind === 'refused' && claims('code_challenge_methods_supported', 'S256')) {
      problems.push('S256 is advertised, and does not work');
    }
    const implicit = await probe.authorize('The implicit grant', { response_type: 'token' });
    if (implicit.kind !== 'page' && (implicit.kind === 'granted') !== claims('response_types_supported', 'token')) {
      problems.push('what is said about the response type token is not what is seen');
    }
    return problems;
  },
  rule(problems) {
    return problems.length === 0 ? passed('What is advertised is what was seen.') : failed(`${problems.join('; ')}.`);
  },
});
