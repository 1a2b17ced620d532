import {
  buildParameterValue,
  buildSecretValue,
  type CodeInput,
  type CodeValue,
  quoteShellWord,
} from '@/lib/oauth/client/code/code-values';
import { formatAssertionCode, formatProofCode, JOSE_IMPORT } from '@/lib/oauth/client/code/signing-code';
import { isPageRequest, SIGNED_LATER } from '@/lib/oauth/client/plan-request';
import { encodeFormValue, formatHeaderValue } from '@/lib/oauth/client/wire-request';
import { quoteForShell } from '@/lib/shell-quote';

/**
 * Writes the request as a POSIX shell command. Node makes the signatures first. `-g` stops curl from expanding
 * brackets.
 */
export function formatCurlCode(input: CodeInput): string {
  const { planned, showSecrets } = input;
  const { method, parameters, body, proof, headers, url } = planned;
  const options = [
    ...headers.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...formatCredentialOptions(input),
    ...(proof ? [`-H ${quoteShellWord('DPoP: ', { kind: 'variable', name: 'DPOP_PROOF' })}`] : []),
    ...(method === 'GET' && parameters.length > 0 ? ['-G'] : []),
    ...parameters.map(([name, value]) => {
      const signed = value === SIGNED_LATER;
      const shown = signed ? ({ kind: 'variable', name: 'CLIENT_ASSERTION' } as const) : undefined;
      return `--data-urlencode ${quoteShellWord(`${encodeFormValue(name)}=`, shown ?? buildParameterValue(name, value, showSecrets))}`;
    }),
    ...(body === null ? [] : [`--data-raw ${quoteForShell(body)}`]),
  ];
  // The authorization endpoint shows pages to people. Status and headers are enough to show its redirect.
  const start = isPageRequest(planned)
    ? 'curl -gsS -o /dev/null -D -'
    : `curl -gsS${method === 'POST' ? ' -X POST' : ''}`;
  const command = [`${start} ${quoteForShell(url)}`, ...options].join(' \\\n  ');
  return formatSignatures(input) + command;
}

function formatCredentialOptions({ planned: { credentials }, showSecrets }: CodeInput): string[] {
  if (credentials.kind === 'basic') {
    const secret = buildSecretValue('CLIENT_SECRET', encodeFormValue(credentials.secret), showSecrets);
    return [`-u ${quoteShellWord(`${encodeFormValue(credentials.id)}:`, secret)}`];
  }
  if (credentials.kind !== 'token') return [];
  const token: CodeValue = buildSecretValue('ACCESS_TOKEN', formatHeaderValue(credentials.token), showSecrets);
  return [`-H ${quoteShellWord(`Authorization: ${credentials.scheme} `, token)}`];
}

/** Writes the lines that make signatures, if the request has any. */
function formatSignatures(input: CodeInput): string {
  const { credentials, proof } = input.planned;
  const formatNodeCommand = (variable: string, code: string, result: string) =>
    `${variable}=$(node --input-type=module -e ${quoteForShell(`${JOSE_IMPORT}${code}console.log(${result});`)})\n`;
  return [
    credentials.kind === 'assertion'
      ? formatNodeCommand('CLIENT_ASSERTION', formatAssertionCode(input), 'assertion')
      : '',
    proof ? formatNodeCommand('DPOP_PROOF', formatProofCode(input), 'proof') : '',
  ].join('');
}
