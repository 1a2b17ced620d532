import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { readAssessment } from '@/lib/admin/assessments/read';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

it('refuses exchanges of a control that does not exist, and looks for the assessment with one that does', async () => {
  const params = { id: randomUUID() };
  const read = async (exchanges: string) =>
    (await call(here.services, readAssessment, { params, query: { exchanges } })).json as object;
  expect(await read('no-such-control')).toMatchObject({
    error: 'invalid_request',
    details: [{ path: 'exchanges', message: 'must be all, none, or the id of a control' }],
  });
  for (const exchanges of ['all', 'none', 'require-pkce'])
    expect(await read(exchanges)).toMatchObject({ error: 'not_found' });
});
