import { expect, test } from 'vitest';
import type { CommandContext } from '@/cli/context';
import { readJsonData } from '@/cli/operation/data';

const context = {} as CommandContext;
const inline = (body: unknown, secrets?: readonly string[]) => readJsonData(context, JSON.stringify(body), secrets);

test.each<[string, unknown, string[]]>([
  ['password', { email: 'ada@example.com', password: 'correct horse' }, []],
  ['target.server.client.secret', { target: { server: { client: { client_id: 'a', secret: 's' } } } }, []],
  ['target.server.client.key', { target: { server: { client: { key: { kty: 'EC' } } } } }, []],
  ['headers.Authorization', { headers: { Authorization: 'Basic YTpi' } }, []],
  ['0.api_key', [{ api_key: `slk_${'a'.repeat(43)}` }], []],
  ['url', { url: 'https://hooks.slack.com/services/T0/B0/x' }, ['url']],
])('a body on the command line may not hold %s', async (path, body, secrets) => {
  await expect(inline(body, secrets)).rejects.toMatchObject({
    exitCode: 2,
    message: `${path} is or may be a secret, which others on this machine can now see.`,
    more: { hint: 'Put the body into a file, or pipe it, with --data -.' },
  });
});

test.each<[unknown, string[]]>([
  [{ name: 'Reports', api_key: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' }, []],
  [{ url: null, password: null }, ['url']],
  [[{ class: 'read', ip: '203.0.113.7' }], []],
])('and may hold %j', async (body, secrets) => {
  expect(await inline(body, secrets)).toEqual(body);
});
