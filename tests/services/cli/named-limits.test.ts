import { afterAll, beforeAll, expect, test } from 'vitest';
import { mountApi } from '@/lib/api/mount';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { commandLine } from '@/tests/fixtures/command-line';
import { serveWeb } from '@/tests/fixtures/serve-web';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';

let place: TestServices;
let server: Awaited<ReturnType<typeof serveWeb>>;
let sluice: Awaited<ReturnType<typeof commandLine>>;
beforeAll(async () => {
  place = await testServices();
  const answer = mountApi(
    async () => place.services,
    () => false,
  );
  server = await serveWeb(async (request) => {
    if (!/^\/v1\/(check|settle)$/.test(new URL(request.url).pathname)) return answer(request);
    const { body, ...init } = await answerDecisionCall(place.services, buildDecisionCall(request));
    return new Response(body, init);
  });
  sluice = await commandLine();
});
afterAll(async () => {
  sluice.remove();
  await server.stop();
  place[Symbol.dispose]();
});

const run = (words: readonly string[]) =>
  sluice.run(words, { env: { SLUICE_URL: server.url, SLUICE_TOKEN: TEST_ADMIN_TOKEN } });
const json = async (words: readonly string[]) => {
  const { code, stdout, stderr } = await run([...words, '--json']);
  expect([stderr, code]).toEqual(['', 0]);
  return JSON.parse(stdout);
};

test('a limit is named, checked, settled, given to a key, inspected and removed', async () => {
  const words = ['--window', '1000/1m', '--window', '5000/month@15', '--in-flight', '2', '--lease-seconds', '60'];
  const made = await json(['limits', 'create', 'cli-tokens', '--unit', 'tokens', ...words]);
  expect(made).toMatchObject({
    windows: [
      { limit: 1_000, seconds: 60 },
      { limit: 5_000, seconds: 'month', day: 15 },
    ],
    in_flight: { limit: 2, lease_seconds: 60 },
  });
  const check = await json(['check', '--limit', 'cli-tokens=org:alice:600', '--settle']);
  expect(check).toMatchObject({ allowed: true, limits: [{ name: 'cli-tokens' }] });
  expect(await json(['settle', check.id, '--cost', 'cli-tokens=50'])).toEqual({ settled: true });
  const inspected = await json(['limits', 'inspect', 'org:alice', '--subject', '--limit-name', 'cli-tokens']);
  expect(inspected.counters.map(({ used }: { used: number }) => used)).toEqual([50, 50, 0]);
  const refused = await run(['check', '--limit', 'cli-tokens=org:alice:990']);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('limit cli-tokens')]);
  const key = await json(['keys', 'create', '--name', 'cli tokens', '--tier', 'free']);
  const update = ['keys', 'update', key.id, '--limit', 'cli-tokens=7/1m'];
  expect((await json(update)).limits).toEqual({ 'cli-tokens': [{ limit: 7, seconds: 60 }] });
  expect((await run(['limits', 'list'])).stdout).toMatch(/cli-tokens +1000 in 60 s, 5000 in a month +2 for 60 s/);
  expect((await run(['limits', 'get', 'cli-tokens'])).stdout).toContain('tokens');
  expect((await json(['limits', 'update', 'cli-tokens', '--window', '5/1s'])).windows).toEqual([
    { limit: 5, seconds: 1 },
  ]);
  expect((await run(['limits', 'remove', 'cli-tokens', '--dry-run'])).stdout).toContain('cli-tokens');
  expect((await run(['limits', 'remove', 'cli-tokens'])).code).toBe(0);
  expect((await run(['check', '--limit', 'cli-tokens=org:alice'])).code).toBe(1);
});

test('a subject and a candidate of a limit get windows in short', async () => {
  await json(['limits', 'create', 'cli-sms', '--window', '1/30s', '--in-flight', '2', '--lease-seconds', '60']);
  const target = ['+4915112345678', '--subject', '--limit-name', 'cli-sms'];
  const why = ['--for', '1d', '--reason', 'Tests of the new app'];
  const short = ['--windows', '5/1m', '--windows', '20/month@15', '--in-flight', '3', '--lease-seconds', '90'];
  const numbers = {
    windows: [
      { limit: 5, seconds: 60 },
      { limit: 20, seconds: 'month', day: 15 },
    ],
    in_flight: { limit: 3, lease_seconds: 90 },
  };
  expect(await json(['overrides', 'set', ...target, ...short, ...why])).toMatchObject(numbers);
  expect(await json(['candidates', 'set', 'limits.cli-sms', ...short, ...why])).toMatchObject({
    ...numbers,
    ends_at: expect.stringMatching(/Z$/),
  });
  expect(await json(['overrides', 'list', '--limit-name', 'cli-sms'])).toHaveLength(1);
  expect(await json(['overrides', 'list', '--limit-name', 'other'])).toEqual([]);
});
