import { DECLINED, type Failure } from '@/cli/failure';
import { createPainter, hasColours } from '@/cli/output/colour';
import type { Environment } from '@/cli/settings';

/** The server's sentence repeats the first detail, which is printed below with the others. */
const FIRST_DETAIL = /^(The request is not valid): .*$/s;

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
  const lines = [
    code === DECLINED
      ? message
      : `${paint('red', 'error:')} ${more.details === undefined ? message : message.replace(FIRST_DETAIL, '$1.')}`,
    ...(more.details ?? []).map(({ path, message: wrong }) => `  ${path === '' ? 'body' : path} ${wrong}`),
    ...(more.hint === undefined ? [] : [paint('dim', more.hint)]),
    ...(more.requestId === undefined ? [] : [paint('dim', `request ${more.requestId}`)]),
  ];
  stderr.write(`${lines.join('\n')}\n`);
  return exitCode;
}
