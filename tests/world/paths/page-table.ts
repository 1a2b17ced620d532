import type { HandlerPath } from './handlers';

/** The rows of the table in `docs/paths.md`: a spelling, and the handler that some server finds for it. */
export const ROWS: readonly { path: string; handler: HandlerPath }[] = [
  { path: '/%6cogin', handler: '/login' },
  { path: '/%256cogin', handler: '/login' },
  { path: '/LOGIN', handler: '/login' },
  { path: '/login/', handler: '/login' },
  { path: '//login', handler: '/login' },
  { path: '/login;x=1', handler: '/login' },
  { path: '/login%3bx', handler: '/login' },
  { path: '/x/..;/login', handler: '/login' },
  { path: '/./login', handler: '/login' },
  { path: '/x/../login', handler: '/login' },
  { path: '/x/%2e%2e/login', handler: '/login' },
  { path: '/x/..%2flogin', handler: '/login' },
  { path: '/x/%252e%252e/login', handler: '/login' },
  { path: '/x\\..\\login', handler: '/login' },
  { path: '/login%3fx', handler: '/login' },
  { path: '/login#x', handler: '/login' },
  { path: '/users/4%2f3', handler: '/users/:id' },
  { path: '/users/4%2fverify-otp', handler: '/users/:id/verify-otp' },
  { path: '/users/4%5cverify-otp', handler: '/users/:id/verify-otp' },
  { path: '/users/%ff', handler: '/users/:id' },
  { path: '/users/%zz', handler: '/users/:id' },
  { path: '/files//a', handler: '/files/*' },
  { path: '/files/../login', handler: '/files/*' },
  { path: '/files/..%2flogin', handler: '/files/*' },
];

/** What `docs/paths.md` says: for each spelling, the cell of each server. */
export function readTable(page: string): Map<string, Map<string, string>> {
  const cellsOf = (line: string) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim());
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  const head = lines.findIndex((line) => line.startsWith('| path |'));
  const [, , ...servers] = cellsOf(lines[head] ?? '');
  return new Map(
    lines.slice(head + 1, head + 1 + ROWS.length).map((line) => {
      const [path = '', , ...cells] = cellsOf(line);
      return [path.replaceAll('`', ''), new Map(servers.map((server, at) => [server, cells[at] ?? '']))];
    }),
  );
}
