import { expect, it } from 'vitest';
import { mountApi } from '@/lib/api/mount';

const answer = mountApi(
  async () => Promise.reject(new Error('down')),
  () => false,
);

async function statusOf(method: string, path: string): Promise<number> {
  return (await answer(new Request(`http://sluice.test${path}`, { method }))).status;
}

it.each([
  ['GET', '/v1/admin/tokens', 500],
  ['GET', '/healthz', 200],
  ['HEAD', '/healthz', 200],
  ['POST', '/healthz', 405],
  ['GET', '/readyz', 503],
  ['GET', '/v1/admin/%74okens', 500],
  ['GET', '/v1/admin/audit/verify', 500],
  ['POST', '/v1/admin/audit/12/undo', 500],
  ['PUT', '/v1/admin/audit/verify', 405],
  ['GET', '/v1/admin/tokens/', 404],
  ['GET', '/v1/admin//tokens', 404],
  ['GET', '/v1/admin/Tokens', 404],
  ['GET', '/v1/admin%2Ftokens', 404],
  ['GET', '/v1/admin/tokens/%ff', 404],
  ['GET', '/v1/admin/api-keys//rotate', 404],
  ['POST', '/v1/admin/api-keys//rotate', 404],
  ['GET', '/v1', 404],
  ['HEAD', '/v1/nothing', 404],
  ['PROPFIND', '/v1/admin/tokens', 404],
])('%s %s is answered with %i while the services cannot start', async (method, path, status) => {
  expect(await statusOf(method, path)).toBe(status);
});
