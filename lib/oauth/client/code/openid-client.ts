import {
  type CodeInput,
  jsLiteral,
  jsObject,
  jsValue,
  parameterValue,
  secretValue,
} from '@/lib/oauth/client/code/code-values';
import { readPrivateKey } from '@/lib/oauth/client/environment';
import { asksForIdToken } from '@/lib/oauth/client/plan-request';
import { chooseAlgorithm } from '@/lib/oauth/client/private-key';
import { ENDPOINT_NAMES, findEndpoint } from '@/lib/oauth/client/server-metadata';
import { readClaims } from '@/lib/oauth/token/read-token';

/** Writes the request for openid-client 6, as an ECMAScript module. */
export function openidClientCode(input: CodeInput): string {
  const { planned, environment } = input;
  const bound = planned.proof;
  const keyImport =
    environment.authentication === 'private_key_jwt' ? 'import { importJWK } from "jose"; // npm install jose\n' : '';
  return `${keyImport}import * as client from "openid-client"; // npm install openid-client@6

${configuration(input)}${bound ? proofHandle(input) : ''}
${formatCall(input)}`;
}

/** Writes the configuration. It uses discovery, unless endpoints were entered by hand. */
function configuration(input: CodeInput): string {
  const { environment, metadata } = input;
  const { issuer, client_id } = environment;
  const insecure = issuer.startsWith('http:');
  const client = `${jsLiteral(client_id)}, undefined, ${authentication(input)}`;
  if (metadata !== null && Object.values(environment.endpoints).every((url) => url === '')) {
    const options = insecure ? ', { execute: [client.allowInsecureRequests] }' : '';
    return `const config = await client.discovery(new URL(${jsLiteral(issuer)}), ${client}${options});\n`;
  }
  const known = [['issuer', issuer], ...Object.keys(ENDPOINT_NAMES).map((name) => [name, endpoint(name, input)])];
  const server = jsObject(known.flatMap(([name = '', url = '']) => (url === '' ? [] : [[name, jsLiteral(url)]])));
  const allow = insecure ? 'client.allowInsecureRequests(config);\n' : '';
  return `const config = new client.Configuration(${server}, ${client});\n${allow}`;
}

const endpoint = (name: string, { environment, metadata }: CodeInput): string =>
  name in ENDPOINT_NAMES ? findEndpoint(name as keyof typeof ENDPOINT_NAMES, environment, metadata) : '';

function authentication({ environment, showSecrets }: CodeInput): string {
  const { authentication: method, secret, key } = environment;
  if (method === 'none') return 'client.None()';
  if (method === 'private_key_jwt') {
    const jwk = readPrivateKey(key);
    const source = jsValue(secretValue('CLIENT_KEY', key, showSecrets));
    const algorithm = jsLiteral(jwk === null ? 'ES256' : chooseAlgorithm(jwk));
    const kid = jwk?.kid === undefined ? '' : `, kid: ${jsLiteral(jwk.kid)}`;
    return `client.PrivateKeyJwt({ key: await importJWK(JSON.parse(${source}), ${algorithm})${kid} })`;
  }
  const value = jsValue(secretValue('CLIENT_SECRET', secret, showSecrets));
  return `client.ClientSecret${method === 'basic' ? 'Basic' : 'Post'}(${value})`;
}

function proofHandle({ proofKey, showSecrets }: CodeInput): string {
  return `
const { d, alg, ...publicJwk } = JSON.parse(${jsValue(secretValue('DPOP_KEY', proofKey, showSecrets))});
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
  const value = (name: string, text: string) => jsValue(parameterValue(name, text, showSecrets));
  const formatParameter = (name: string) =>
    value(name, planned.parameters.find(([known]) => known === name)?.[1] ?? '');
  const members = (leftOut: RegExp) =>
    jsObject(
      planned.parameters.filter(([name]) => !leftOut.test(name)).map(([name, text]) => [name, value(name, text)]),
    );
  const others = members(OWN);
  const bound = planned.proof ? ', { DPoP }' : '';
  const accessToken = value('access_token', flow.accessToken);
  switch (planned.step) {
    case 'par':
    case 'authorize': {
      const method =
        planned.step === 'par' ? 'await client.buildAuthorizationUrlWithPAR' : 'client.buildAuthorizationUrl';
      const parameters = members(/^(?:response_type|client_.*)$/);
      return `const url = ${method}(config, ${parameters});
// A person opens this address in a browser.
console.log(url.href);`;
    }
    case 'token':
      return `const callback = new URL(${jsLiteral(environment.redirect_uri)});
callback.search = new URLSearchParams(${jsObject(callbackMembers(input, formatParameter('code')))});
const tokens = await client.authorizationCodeGrant(config, callback, ${jsObject(expectations(input, formatParameter('code_verifier')))}, ${others}${bound});
console.log(tokens, tokens.claims());`;
    case 'refresh':
      return `const tokens = await client.refreshTokenGrant(config, ${formatParameter('refresh_token')}, ${others}${bound});
console.log(tokens);`;
    case 'client_credentials':
      return `const tokens = await client.clientCredentialsGrant(config, ${others}${bound});
console.log(tokens);`;
    case 'userinfo':
      return `const claims = await client.fetchUserInfo(config, ${accessToken}, ${expectedSubject(input)}${bound});
console.log(claims);`;
    case 'introspect':
      return `console.log(await client.tokenIntrospection(config, ${formatParameter('token')}, ${others}));`;
    case 'revoke':
      return `await client.tokenRevocation(config, ${formatParameter('token')}, ${others});
console.log("Revoked.");`;
    case 'resource': {
      const body = planned.body === null ? 'undefined' : jsLiteral(planned.body);
      const headers = jsObject(planned.headers.map(([name, text]) => [name, jsLiteral(text)]));
      const url = `new URL(${jsLiteral(planned.url)})`;
      return `const response = await client.fetchProtectedResource(config, ${accessToken}, ${url}, ${jsLiteral(planned.method)}, ${body}, new Headers(${headers})${bound});
console.log(response.status, await response.text());`;
    }
  }
}

/** Writes the callback parameters in the form that the library reads. */
function callbackMembers({ flow, environment, metadata }: CodeInput, code: string): (readonly [string, string])[] {
  const iss = metadata?.authorization_response_iss_parameter_supported === true ? environment.issuer : '';
  return [
    ['code', code],
    ...(flow.state === '' ? [] : [['state', jsLiteral(flow.state)] as const]),
    ...(iss === '' ? [] : [['iss', jsLiteral(iss)] as const]),
  ];
}

function expectations({ flow, environment }: CodeInput, verifier: string): (readonly [string, string])[] {
  const openid = asksForIdToken(environment.scope);
  return [
    ...(environment.pkce ? [['pkceCodeVerifier', verifier] as const] : []),
    ...(flow.state === '' ? [] : [['expectedState', jsLiteral(flow.state)] as const]),
    ...(openid && flow.nonce !== '' ? [['expectedNonce', jsLiteral(flow.nonce)] as const] : []),
    ...(openid ? [['idTokenExpected', 'true'] as const] : []),
  ];
}

function expectedSubject({ flow }: CodeInput): string {
  const subject = readClaims(flow.idToken)?.sub;
  return typeof subject === 'string' ? jsLiteral(subject) : 'client.skipSubjectCheck';
}
