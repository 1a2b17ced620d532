import { expect, test } from 'vitest';
import { NOT_JSON, OTHER_TYPES } from '@/tests/fixtures/bad-bodies';
import { ADMIN_TOKEN } from '@/tests/fixtures/product';
import { product, productSuite } from '@/tests/fixtures/product-suite';
import { until } from '@/tests/fixtures/until';
import { type WireRequest, wire } from '@/tests/fixtures/wire';

// At `info` refusals are sampled, and probes left out (tests/unit/logging/floods.test.ts).
productSuite({ SLUICE_LOG_LEVEL: 'debug' });

const PATH = '/v1/admin/rate-limit/allowlist';
const FORGED = '{"level":30,"message":"forged"}';
/** What would begin a line of its own in a log that wrote it as it is. */
const BREAKS = ['\n', '\r', '\r\n', '\u2028', '\u0085', '\0', '\u001b[2K'].map((lineBreak) => `${lineBreak}${FORGED}`);

const json = { 'Content-Type': 'application/json' };
const requests: WireRequest[] = [
  ...[...NOT_JSON, ...OTHER_TYPES].map(({ raw, headers }) => ({
    method: 'POST',
    target: PATH,
    headers: { ...json, ...headers },
    body: raw,
  })),
  ...BREAKS.flatMap((text): WireRequest[] => [
    { method: 'GET', target: `/v1/${encodeURIComponent(text)}` },
    { method: 'GET', target: `/${encodeURIComponent(text)}/x` },
    { method: 'GET', target: `${PATH}?q=${encodeURIComponent(text)}` },
    { method: 'GET', target: `/auth/authorize?state=${encodeURIComponent(text)}` },
    {
      method: 'POST',
      target: PATH,
      headers: json,
      body: JSON.stringify({ type: 'user_id', identifier: 'x', reason: `a${text}` }),
    },
  ]),
  { method: 'GET', target: '/healthz', headers: { 'User-Agent': FORGED, Referer: FORGED, 'X-Forwarded-For': FORGED } },
];

test('every request has one line in the log, and no line is of a caller’s making', async () => {
  const send = wire(product.port);
  const begun = product.output().length;
  const ids = requests.map((_, index) => `log-line-${index}`);
  for (const [index, request] of requests.entries()) {
    const { status } = await send({
      ...request,
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, ...request.headers, 'X-Request-Id': ids[index] ?? '' },
    });
    expect(status).toBeLessThan(500);
  }
  // The line of an answer is written when it has been sent.
  const lines = () =>
    product
      .output()
      .slice(begun)
      .split('\n')
      .filter((line) => line !== '');
  await until(() => lines().some((line) => line.includes(`"${ids.at(-1)}"`)));
  const records = lines().map((line) => JSON.parse(line) as { message: string; requestId: string; level: unknown });
  expect(records.filter(({ message }) => message === 'forged')).toEqual([]);
  // The last of the probes for readiness may have its line here.
  const ours = records.filter(({ message, requestId }) => message === 'request' && requestId.startsWith('log-line-'));
  const requested = ours.map(({ requestId }) => requestId);
  expect(requested.toSorted()).toEqual(ids.toSorted());
});
