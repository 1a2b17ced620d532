import { expect, test } from 'vitest';
import { listAssessments } from '@/lib/admin/assessments/list';
import { removeAssessment } from '@/lib/admin/assessments/remove';
import { startAssessment } from '@/lib/admin/assessments/start';
import { call } from '@/tests/fixtures/call';
import { testServices } from '@/tests/fixtures/services';
import { until } from '@/tests/fixtures/until';
import { wall } from '@/tests/fixtures/wall';

test('an assessment that is removed while it runs ends, and says so', async () => {
  await using slow = await wall(503);
  using here = await testServices({ SLUICE_ASSESS_ALLOW: '127.0.0.0/8' });
  const server = { issuer: slow.issuer, login: 'none', requests_per_second: 0.5 };
  const running = call(here.services, startAssessment, { body: { target: { server } } });
  const ids = async () => (await call(here.services, listAssessments)).json.map(({ id }: { id: string }) => id);
  await until(async () => (await ids()).length === 1);
  const [id] = await ids();
  expect((await call(here.services, removeAssessment, { params: { id } })).status).toBe(204);
  const { text } = await running;
  expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'stopped',
    error_description: 'The assessment was removed.',
  });
  expect(await ids()).toEqual([]);
});
