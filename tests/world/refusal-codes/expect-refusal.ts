import { expect } from 'vitest';

/** How a request is refused. */
export interface RefusalCode {
  status: 429 | 503;
  error: string;
  limitName?: string;
  /** False if the store cannot count, so that the answer has no numbers. */
  hasLimit: boolean;
}

/** What every refusal has, whatever the endpoint. */
export async function expectRefusal(
  response: Response,
  refusal: RefusalCode,
  what: string,
  sent: number = refusal.status,
) {
  const { status, error, limitName, hasLimit } = refusal;
  const body = await response.text();
  if (what.startsWith('HEAD ')) expect([what, response.status, body]).toEqual([what, sent, '']);
  else {
    expect([what, response.status, body]).toEqual([what, sent, expect.stringContaining(`"${error}"`)]);
    const named = limitName === undefined ? {} : { limit_name: limitName };
    const expected = { error, error_description: expect.stringMatching(/^[A-Z].*\.$/), ...named };
    expect([what, JSON.parse(body)]).toEqual([what, expected]);
  }
  expect(response.headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  expect(response.headers.get('retry-after'), what).toMatch(/^[1-9]\d*$/);
  expect(response.headers.get('x-request-id'), what).toBeTruthy();
  if (error === 'quota_exceeded') {
    for (const name of ['limit', 'remaining', 'reset'])
      expect(response.headers.get(`x-quota-${name}`), what).toMatch(/^\d+$/);
    return;
  }
  if (!hasLimit) return;
  expect(response.headers.get('x-ratelimit-limit'), what).toMatch(/^\d+$/);
  expect(response.headers.get('x-ratelimit-remaining'), what).toMatch(status === 429 ? /^0$/ : /^\d+$/);
  expect(Number(response.headers.get('x-ratelimit-reset')), what).toBeGreaterThan(1e9);
}
