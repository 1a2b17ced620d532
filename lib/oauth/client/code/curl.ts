import {
  type CodeInput,
  type CodeValue,
  parameterValue,
  secretValue,
  shellWord,
} from '@/lib/oauth/client/code/code-values';
import { assertionCode, JOSE_IMPORT, proofCode } from '@/lib/oauth/client/code/signing-code';
import { isPageRequest, SIGNED_LATER } from '@/lib/oauth/client/plan-request';
import { formatHeaderValue, formEncoded } from '@/lib/oauth/client/wire-request';
import { shellQuote } from '@/lib/shell-quote';

/**
 * Writes the request as a POSIX shell command. Node makes the signatures first. `-g` stops curl from expanding
 * brackets.
 */
export function curlCode(input: CodeInput): string {
  const { planned, showSecrets } = input;
  const { method, parameters, body, proof, headers, url } = planned;
  const options = [
    ...headers.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...credentialOptions(input),
    ...(proof ? [`-H ${shellWord('DPoP: ', { kind: 'variable', name: 'DPOP_PROOF' })}`] : []),
    ...(method === 'GET' && parameters.length > 0 ? ['-G'] : []),
    ...parameters.map(([name, value]) => {
      const signed = value === SIGNED_LATER;
      const shown = signed ? ({ kind: 'variable', name: 'CLIENT_ASSERTION' } as const) : undefined;
      return `--data-urlencode ${shellWord(`${formEncoded(name)}=`, shown ?? parameterValue(name, value, showSecrets))}`;
    }),
    ...(body === null ? [] : [`--data-raw ${shellQuote(body)}`]),
  ];
  // The authorization endpoint shows pages to people. Status and headers are enough to show its redirect.
  const start = isPageRequest(planned)
    ? 'curl -gsS -o /dev/null -D -'
    : `curl -gsS${method === 'POST' ? ' -X POST' : ''}`;
  const command = [`${start} ${shellQuote(url)}`, ...options].join(' \\\n  ');
  return signatures(input) + command;
}

function credentialOptions({ planned: { credentials }, showSecrets }: CodeInput): string[] {
  if (credentials.kind === 'basic') {
    const secret = secretValue('CLIENT_SECRET', formEncoded(credentials.secret), showSecrets);
    return [`-u ${shellWord(`${formEncoded(credentials.id)}:`, secret)}`];
  }
  if (credentials.kind !== 'token') return [];
  const token: CodeValue = secretValue('ACCESS_TOKEN', formatHeaderValue(credentials.token), showSecrets);
  return [`-H ${shellWord(`Authorization: ${credentials.scheme} `, token)}`];
}

/** Writes the lines that make signatures, if the request has any. */
function signatures(input: CodeInput): string {
  const { credentials, proof } = input.planned;
  const node = (variable: string, code: string, result: string) =>
    `${variable}=$(node --input-type=module -e ${shellQuote(`${JOSE_IMPORT}${code}console.log(${result});`)})\n`;
  return [
    credentials.kind === 'assertion' ? node('CLIENT_ASSERTION', assertionCode(input), 'assertion') : '',
    proof ? node('DPOP_PROOF', proofCode(input), 'proof') : '',
  ].join('');
}
