import {
  buildParameterValue,
  buildSecretValue,
  type CodeInput,
  formatJsLiteral,
  formatJsObject,
  formatJsValue,
} from '@/lib/oauth/client/code/code-values';
import { readPrivateKey } from '@/lib/oauth/client/environment';
import { hasOpenidScope } from '@/lib/oauth/client/plan-request';
import { chooseAlgorithm } from '@/lib/oauth/client/private-key';
import { ENDPOINT_NAMES, findEndpoint } from '@/lib/oauth/client/server-metadata';
import { readClaims } from '@/lib/oauth/token/read-token';

/** Writes the request for openid-client 6, as an ECMAScript module. */
export function formatOpenidClientCode(input: CodeInput): string {
  const { planned, environment } = input;
  const bound = planned.proof;
  const keyImport =
    environment.authentication === 'private_key_jwt' ? 'import { importJWK } from "jose"; // npm install jose\n' : '';
  return `${keyImport}import * as client from "openid-client"; // npm install openid-client@6

${formatConfiguration(input)}${bound ? formatProofHandle(input) : ''}
${formatCall(input)}`;
}

/** Writes the configuration. It uses discovery, unless endpoints were entered by hand. */
function formatConfiguration(input: CodeInput): string {
  const { environment, metadata } = input;
  const { issuer, client_id } = environment;
  const insecure = issuer.startsWith('http:');
  const client = `${formatJsLiteral(client_id)}, undefined, ${formatAuthentication(input)}`;
  if (metadata !== null && Object.values(environment.endpoints).every((url) => url === '')) {
    const options = insecure ? ', { execute: [client.allowInsecureRequests] }' : '';
    return `const config = await client.discovery(new URL(${formatJsLiteral(issuer)}), ${client}${options});\n`;
  }
  const serverFields = [
    ['issuer', issuer],
    ...Object.keys(ENDPOINT_NAMES).map((name) => [name, findNamedEndpoint(name, input)]),
  ];
  const server = formatJsObject(
    serverFields.flatMap(([name = '', url = '']) => (url === '' ? [] : [[name, formatJsLiteral(url)]])),
  );
  const allow = insecure ? 'client.allowInsecureRequests(config);\n' : '';
  return `const config = new client.Configuration(${server}, ${client});\n${allow}`;
}

const findNamedEndpoint = (name: string, { environment, metadata }: CodeInput): string =>
  name in ENDPOINT_NAMES ? findEndpoint(name as keyof typeof ENDPOINT_NAMES, environment, metadata) : '';

function formatAuthentication({ environment, showSecrets }: CodeInput): string {
  const { authentication: method, secret, key } = environment;
  if (method === 'none') return 'client.None()';
  if (method === 'private_key_jwt') {
    const jwk = readPrivateKey(key);
    const source = formatJsValue(buildSecretValue('CLIENT_KEY', key, showSecrets));
    const algorithm = formatJsLiteral(jwk === null ? 'ES256' : chooseAlgorithm(jwk));
    const kid = jwk?.kid === undefined ? '' : `, kid: ${formatJsLiteral(jwk.kid)}`;
    return `client.PrivateKeyJwt({ key: await importJWK(JSON.parse(${source}), ${algorithm})${kid} })`;
  }
  const value = formatJsValue(buildSecretValue('CLIENT_SECRET', secret, showSecrets));
  return `client.ClientSecret${method === 'basic' ? 'Basic' : 'Post'}(${value})`;
}

function formatProofHandle({ proofKey, showSecrets }: CodeInput): string {
  return `
const { d, alg, ...publicJwk } = JSON.parse(${formatJsValue(buildSecretValue('DPOP_KEY', proofKey, showSecrets))});
const algorithm = { name: "ECDSA", namedCurve: "P-256" };
const DPoP = client.getDPoPHandle(config, {
  privateKey: await crypto.subtle.importKey("jwk", { ...publicJwk, d }, algorithm, false, ["sign"]),
  publicKey: await crypto.subtle.importKey("jwk", publicJwk, algorithm, true, ["verify"]),
});
`;
}

/** Parameters that the library sets itself. */
const OWN = /^(?:grant_type|code|code_verifier|redirect_uri|refresh_token|token|client_.*)$/;

function formatCall(input: CodeInput): string {
  const { planned, flow, environment, showSecrets } = input;
  const formatNamedValue = (name: string, text: string) => formatJsValue(buildParameterValue(name, text, showSecrets));
  const formatParameter = (name: string) =>
    formatNamedValue(name, planned.parameters.find(([parameterName]) => parameterName === name)?.[1] ?? '');
  const formatMembers = (leftOut: RegExp) =>
    formatJsObject(
      planned.parameters
        .filter(([name]) => !leftOut.test(name))
        .map(([name, text]) => [name, formatNamedValue(name, text)]),
    );
  const others = formatMembers(OWN);
  const bound = planned.proof ? ', { DPoP }' : '';
  const accessToken = formatNamedValue('access_token', flow.accessToken);
  switch (planned.step) {
    case 'par':
    case 'authorize': {
      const method =
        planned.step === 'par' ? 'await client.buildAuthorizationUrlWithPAR' : 'client.buildAuthorizationUrl';
      const parameters = formatMembers(/^(?:response_type|client_.*)$/);
      return `const url = ${method}(config, ${parameters});
// A person opens this address in a browser.
console.log(url.href);`;
    }
    case 'token':
      return `const callback = new URL(${formatJsLiteral(environment.redirect_uri)});
callback.search = new URLSearchParams(${formatJsObject(listCallbackMembers(input, formatParameter('code')))});
const tokens = await client.authorizationCodeGrant(config, callback, ${formatJsObject(listExpectations(input, formatParameter('code_verifier')))}, ${others}${bound});
console.log(tokens, tokens.claims());`;
    case 'refresh':
      return `const tokens = await client.refreshTokenGrant(config, ${formatParameter('refresh_token')}, ${others}${bound});
console.log(tokens);`;
    case 'client_credentials':
      return `const tokens = await client.clientCredentialsGrant(config, ${others}${bound});
console.log(tokens);`;
    case 'userinfo':
      return `const claims = await client.fetchUserInfo(config, ${accessToken}, ${formatExpectedSubject(input)}${bound});
console.log(claims);`;
    case 'introspect':
      return `console.log(await client.tokenIntrospection(config, ${formatParameter('token')}, ${others}));`;
    case 'revoke':
      return `await client.tokenRevocation(config, ${formatParameter('token')}, ${others});
console.log("Revoked.");`;
    case 'resource': {
      const body = planned.body === null ? 'undefined' : formatJsLiteral(planned.body);
      const headers = formatJsObject(planned.headers.map(([name, text]) => [name, formatJsLiteral(text)]));
      const url = `new URL(${formatJsLiteral(planned.url)})`;
      return `const response = await client.fetchProtectedResource(config, ${accessToken}, ${url}, ${formatJsLiteral(planned.method)}, ${body}, new Headers(${headers})${bound});
console.log(response.status, await response.text());`;
    }
  }
}

/** Writes the callback parameters in the form that the library reads. */
function listCallbackMembers({ flow, environment, metadata }: CodeInput, code: string): (readonly [string, string])[] {
  const iss = metadata?.authorization_response_iss_parameter_supported === true ? environment.issuer : '';
  return [
    ['code', code],
    ...(flow.state === '' ? [] : [['state', formatJsLiteral(flow.state)] as const]),
    ...(iss === '' ? [] : [['iss', formatJsLiteral(iss)] as const]),
  ];
}

function listExpectations({ flow, environment }: CodeInput, verifier: string): (readonly [string, string])[] {
  const openid = hasOpenidScope(environment.scope);
  return [
    ...(environment.pkce ? [['pkceCodeVerifier', verifier] as const] : []),
    ...(flow.state === '' ? [] : [['expectedState', formatJsLiteral(flow.state)] as const]),
    ...(openid && flow.nonce !== '' ? [['expectedNonce', formatJsLiteral(flow.nonce)] as const] : []),
    ...(openid ? [['idTokenExpected', 'true'] as const] : []),
  ];
}

function formatExpectedSubject({ flow }: CodeInput): string {
  const subject = readClaims(flow.idToken)?.sub;
  return typeof subject === 'string' ? formatJsLiteral(subject) : 'client.skipSubjectCheck';
}
