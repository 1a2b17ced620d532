import { DECLINED, type Failure } from '@/cli/failure';
import { escapeControlCharacters } from '@/cli/output/cell';
import { createPainter, hasColours } from '@/cli/output/colour';
import type { Environment } from '@/cli/settings';

/** The server's sentence repeats the first detail, which is printed below with the others. */
const FIRST_DETAIL = /^(The request is not valid): .*$/s;

/** Escapes control characters other than line breaks, because the text may come from a server. */
const escapeLines = (text: string) => text.split('\n').map(escapeControlCharacters).join('\n');

/** Prints a failure to stderr and returns its exit code. */
export function reportFailure(failure: Failure, isJson: boolean, stderr: NodeJS.WriteStream, env: Environment): number {
  const { exitCode, code, message, more } = failure;
  if (isJson) {
    const { details, hint: _, ...rest } = more;
    const body = { error: code, error_description: message, ...(details === undefined ? {} : { details }) };
    stderr.write(`${JSON.stringify({ ...body, ...(rest.requestId && { request_id: rest.requestId }) })}\n`);
    return exitCode;
  }
  const paint = createPainter(hasColours(stderr.isTTY === true, env));
  const sentence = escapeLines(more.details === undefined ? message : message.replace(FIRST_DETAIL, '$1.'));
  const lines = [
    code === DECLINED ? sentence : `${paint('red', 'error:')} ${sentence}`,
    ...(more.details ?? []).map(({ path, message: wrong }) => `  ${escapeLines(`${path || 'body'} ${wrong}`)}`),
    ...(more.hint === undefined ? [] : [paint('dim', more.hint)]),
    ...(more.requestId === undefined ? [] : [paint('dim', `request ${more.requestId}`)]),
  ];
  stderr.write(`${lines.join('\n')}\n`);
  return exitCode;
}
