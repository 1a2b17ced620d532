import {
  buildParameterValue,
  buildSecretValue,
  type CodeInput,
  formatJsLiteral,
  formatJsObject,
  formatJsValue,
} from '@/lib/oauth/client/code/code-values';
import { formatAssertionCode, formatProofCode, JOSE_IMPORT } from '@/lib/oauth/client/code/signing-code';
import { isPageRequest, SIGNED_LATER } from '@/lib/oauth/client/plan-request';
import { encodeFormValue } from '@/lib/oauth/client/wire-request';

/** Writes the request as an ECMAScript module. */
export function formatFetchCode(input: CodeInput): string {
  const { planned, showSecrets } = input;
  const { method, credentials, body, proof, url } = planned;
  const signs = [
    credentials.kind === 'assertion' ? formatAssertionCode(input) : '',
    proof ? formatProofCode(input) : '',
  ].join('');
  const parameters = planned.parameters.map(
    ([name, value]) =>
      [
        name,
        value === SIGNED_LATER ? 'assertion' : formatJsValue(buildParameterValue(name, value, showSecrets)),
      ] as const,
  );
  const start = signs === '' ? '' : `${JOSE_IMPORT}\n${signs}\n`;
  const inQuery = method === 'GET' && parameters.length > 0;
  const address = inQuery
    ? `const url = new URL(${formatJsLiteral(url)});
for (const [name, value] of Object.entries(${formatJsObject(parameters)})) url.searchParams.append(name, value);
`
    : '';
  if (isPageRequest(planned))
    return `${start}${address}// A person opens this address in a browser.\nconsole.log(url.href);`;
  const headers = [
    ...planned.headers.map(([name, value]) => [name, formatJsLiteral(value)] as const),
    ...formatAuthorization(input),
    ...(proof ? [['DPoP', 'proof'] as const] : []),
  ];
  const form = method === 'POST' && body === null;
  const init = [
    ['method', formatJsLiteral(method)] as const,
    ['headers', formatJsObject(headers, '  ')] as const,
    ...(form ? [['body', `new URLSearchParams(${formatJsObject(parameters, '  ')})`] as const] : []),
    ...(body === null ? [] : [['body', formatJsLiteral(body)] as const]),
  ];
  const target = inQuery ? 'url' : formatJsLiteral(url);
  return `${start}${address}const response = await fetch(${target}, ${formatJsObject(init)});
console.log(response.status, await response.text());`;
}

function formatAuthorization({ planned: { credentials }, showSecrets }: CodeInput): (readonly [string, string])[] {
  if (credentials.kind === 'token') {
    const token = formatJsValue(buildSecretValue('ACCESS_TOKEN', credentials.token, showSecrets));
    return [['Authorization', `${formatJsLiteral(`${credentials.scheme} `)} + ${token}`]];
  }
  if (credentials.kind !== 'basic') return [];
  // Id and secret are form-encoded, as in the curl command (RFC 6749 section 2.3.1).
  const secret = formatJsValue(buildSecretValue('CLIENT_SECRET', encodeFormValue(credentials.secret), showSecrets));
  return [['Authorization', `"Basic " + btoa(${formatJsLiteral(`${encodeFormValue(credentials.id)}:`)} + ${secret})`]];
}
