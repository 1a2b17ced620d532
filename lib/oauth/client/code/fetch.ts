import {
  type CodeInput,
  jsLiteral,
  jsObject,
  jsValue,
  parameterValue,
  secretValue,
} from '@/lib/oauth/client/code/code-values';
import { assertionCode, JOSE_IMPORT, proofCode } from '@/lib/oauth/client/code/signing-code';
import { isPageRequest, SIGNED_LATER } from '@/lib/oauth/client/plan-request';
import { formEncoded } from '@/lib/oauth/client/wire-request';

/** Writes the request as an ECMAScript module. */
export function fetchCode(input: CodeInput): string {
  const { planned, showSecrets } = input;
  const { method, credentials, body, proof, url } = planned;
  const signs = [credentials.kind === 'assertion' ? assertionCode(input) : '', proof ? proofCode(input) : ''].join('');
  const parameters = planned.parameters.map(
    ([name, value]) =>
      [name, value === SIGNED_LATER ? 'assertion' : jsValue(parameterValue(name, value, showSecrets))] as const,
  );
  const start = signs === '' ? '' : `${JOSE_IMPORT}\n${signs}\n`;
  const inQuery = method === 'GET' && parameters.length > 0;
  const address = inQuery
    ? `const url = new URL(${jsLiteral(url)});
for (const [name, value] of Object.entries(${jsObject(parameters)})) url.searchParams.append(name, value);
`
    : '';
  if (isPageRequest(planned))
    return `${start}${address}// A person opens this address in a browser.\nconsole.log(url.href);`;
  const headers = [
    ...planned.headers.map(([name, value]) => [name, jsLiteral(value)] as const),
    ...authorization(input),
    ...(proof ? [['DPoP', 'proof'] as const] : []),
  ];
  const form = method === 'POST' && body === null;
  const init = [
    ['method', jsLiteral(method)] as const,
    ['headers', jsObject(headers, '  ')] as const,
    ...(form ? [['body', `new URLSearchParams(${jsObject(parameters, '  ')})`] as const] : []),
    ...(body === null ? [] : [['body', jsLiteral(body)] as const]),
  ];
  const target = inQuery ? 'url' : jsLiteral(url);
  return `${start}${address}const response = await fetch(${target}, ${jsObject(init)});
console.log(response.status, await response.text());`;
}

function authorization({ planned: { credentials }, showSecrets }: CodeInput): (readonly [string, string])[] {
  if (credentials.kind === 'token') {
    const token = jsValue(secretValue('ACCESS_TOKEN', credentials.token, showSecrets));
    return [['Authorization', `${jsLiteral(`${credentials.scheme} `)} + ${token}`]];
  }
  if (credentials.kind !== 'basic') return [];
  // Id and secret are form-encoded, as in the curl command (RFC 6749 section 2.3.1).
  const secret = jsValue(secretValue('CLIENT_SECRET', formEncoded(credentials.secret), showSecrets));
  return [['Authorization', `"Basic " + btoa(${jsLiteral(`${formEncoded(credentials.id)}:`)} + ${secret})`]];
}
