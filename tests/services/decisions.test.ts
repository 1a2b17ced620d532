import { describe, expect, it } from 'vitest';
import { addEffects } from '@/lib/admin/add-effects';
import { listDecisions } from '@/lib/admin/decisions/list';
import { createEndpoint } from '@/lib/operation/endpoint';
import { POLL } from '@/lib/statistics/live-decisions';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { decisionEvent, loggedRefusal, refusalEvent } from '@/tests/fixtures/decision-event';
import { TEST_ADMIN_TOKEN, TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const list = (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  call(here.services, listDecisions, { query, headers });
const paths = async (query: Record<string, string>) => {
  const answer = await list(query);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.map((decision: { path: string }) => decision.path);
};

async function seed(): Promise<void> {
  const { statistics } = here.services;
  statistics.record(decisionEvent(TEST_START, { path: '/allowed' }));
  statistics.record(refusalEvent(TEST_START, '203.0.113.9', { path: '/a' }));
  statistics.record(
    refusalEvent(TEST_START + 1_000, '2001:db8:1:2::/64', { path: '/b', ip: '2001:db8:1:2::5', class: 'auth' }),
  );
  statistics.record(
    refusalEvent(TEST_START + 2_000, '203.0.113.9', {
      path: '/b/c%_',
      class: 'write',
      reason: 'user_rate_limit_exceeded',
      subjectType: 'user',
      identifier: 'alice',
      userId: 'alice',
    }),
  );
  statistics.record(
    decisionEvent(TEST_START + 3_000, {
      path: '/=cmd',
      outcome: 'bypassed',
      subjectType: 'ip',
      identifier: '203.0.113.9',
      apiKeyId: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69',
    }),
  );
  await statistics.flush();
}

describe('the log', () => {
  it('shows refusals and bypasses, newest first, with class, subject, reason and path', async () => {
    await seed();
    const answer = await list();
    expect(answer.headers.get('link')).toBeNull();
    expect(answer.json).toHaveLength(4);
    expect(answer.json[3]).toEqual(loggedRefusal('203.0.113.9', { path: '/a', request_id: 'request-1' }));
    expect(answer.json[0]).toMatchObject({ outcome: 'bypassed', reason: null, path: '/=cmd' });
  });

  it('is filtered by everything it shows', async () => {
    await seed();
    expect(await paths({ class: 'auth' })).toEqual(['/b']);
    expect(await paths({ outcome: 'bypassed' })).toEqual(['/=cmd']);
    expect(await paths({ reason: 'user_rate_limit_exceeded' })).toEqual(['/b/c%_']);
    expect(await paths({ subject: 'user' })).toEqual(['/b/c%_']);
    expect(await paths({ type: 'user_id', identifier: 'alice' })).toEqual(['/b/c%_']);
    expect(await paths({ type: 'ip', identifier: '::ffff:203.0.113.9' })).toEqual(['/=cmd', '/b/c%_', '/a']);
    expect(await paths({ type: 'ip', identifier: '2001:DB8:1:2::99' })).toEqual(['/b']);
    expect(await paths({ api_key: '8F14E45F-ceea-467f-a0e6-1f2d3c4b5a69' })).toEqual(['/=cmd']);
    expect(await paths({ api_key_id: '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69' })).toEqual(['/=cmd']);
    expect(await paths({ type: 'api_key', identifier: '8F14E45F-ceea-467f-a0e6-1f2d3c4b5a69' })).toEqual(['/=cmd']);
    expect(await paths({ type: 'client_id', identifier: 'alice' })).toEqual([]);
    expect(await paths({ identifier: '203.0.113.9' })).toEqual(['/=cmd', '/a']);
    expect(await paths({ subject: 'user', identifier: 'alice' })).toEqual(['/b/c%_']);
    expect(await paths({ ip: '2001:DB8:1:2::5' })).toEqual(['/b']);
    expect(await paths({ ip: '203.0.113.8/30' })).toEqual(['/b/c%_', '/a']);
    expect(await paths({ ip: '203.0.113.0/29' })).toEqual(['/=cmd']);
    expect(await paths({ ip: '2001:db8:1::/48' })).toEqual(['/b']);
    expect(await paths({ type: 'ip', identifier: '2001:db8:1:2::/64' })).toEqual(['/b']);
    expect(await paths({ type: 'ip', identifier: '0.0.0.0/0', class: 'read' })).toEqual(['/=cmd', '/a']);
    expect(await paths({ user_id: 'alice' })).toEqual(['/b/c%_']);
    expect(await paths({ method: 'get', class: 'write' })).toEqual(['/b/c%_']);
    expect(await paths({ method: 'POST' })).toEqual([]);
    expect(await paths({ request_id: 'request-1', class: 'auth' })).toEqual(['/b']);
    expect(await paths({ source: 'policy', class: 'auth' })).toEqual(['/b']);
    expect(await paths({ q: 'LIC' })).toEqual(['/b/c%_']);
    expect(await paths({ q: '2001:db8' })).toEqual(['/b']);
    expect(await paths({ path: '/b' })).toEqual(['/b/c%_', '/b']);
    expect(await paths({ path: '/b/c%' })).toEqual(['/b/c%_']);
    expect(await paths({ path: '/_' })).toEqual([]);
    expect(await paths({ from: '2026-11-20T12:00:01Z', to: '2026-11-20T13:00:03+01:00' })).toEqual(['/b/c%_', '/b']);
  });

  it('finds what a named limit refused, by the limit and by its subject', async () => {
    await seed();
    const named = { class: null, subjectType: 'limit', source: 'limit', method: null, ip: null } as const;
    const refuse = (identifier: string, limitName: string, path: string) =>
      here.services.statistics.record(refusalEvent(TEST_START, identifier, { ...named, limitName, path }));
    refuse('+49 151', 'sms', '/sms');
    refuse('203.0.113.9', 'mail', '/mail');
    await here.services.statistics.flush();
    expect(await paths({ limit_name: 'sms' })).toEqual(['/sms']);
    expect(await paths({ type: 'subject', identifier: '+49 151' })).toEqual(['/sms']);
    expect(await paths({ type: 'subject', identifier: '203.0.113.9' })).toEqual(['/mail']);
    expect(await paths({ type: 'subject', identifier: '+49' })).toEqual([]);
    expect(await paths({ subject: 'limit' })).toEqual(['/mail', '/sms']);
    expect((await list({ limit_name: 'sms' })).json[0]).toMatchObject({ class: null, limit_name: 'sms' });
  });

  it('comes in pages that neither repeat nor leave out, whatever is added meanwhile', async () => {
    for (let n = 0; n < 25; n += 1)
      here.services.statistics.record(refusalEvent(TEST_START + n * 1_000, `198.51.100.${n}`));
    await here.services.statistics.flush();
    const seen: number[] = [];
    let query: Record<string, string> = { limit: '10', class: 'read' };
    for (let page = 0; page < 5; page += 1) {
      const answer = await list(query);
      seen.push(...answer.json.map((decision: { id: number }) => decision.id));
      here.services.statistics.record(refusalEvent(TEST_START + 60_000, '198.51.100.99'));
      await here.services.statistics.flush();
      const link = answer.headers.get('link');
      if (link === null) break;
      const [, target = ''] = /^<([^>]+)>; rel="next"$/.exec(link) ?? [];
      const next = new URL(target, 'http://sluice.test');
      expect(next.pathname).toBe('/v1/admin/decisions');
      query = Object.fromEntries(next.searchParams);
      expect(query.class).toBe('read');
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
  });

  it.each<Record<string, string>>([
    { limit: '0' },
    { limit: '1001' },
    { limit: 'x' },
    { cursor: 'eyJhIjoxfQ' },
    { cursor: '!!' },
    { class: 'AUTH' },
    { outcome: 'allowed' },
    { reason: 'x' },
    { type: 'ip' },
    { ip: '203.0.113.0/33' },
    { api_key_id: 'x' },
    { source: 'x' },
    { q: '' },
    { type: 'ip', identifier: '203.0.113.09' },
    { api_key: 'x' },
    { from: '2026-02-30T00:00:00Z' },
    { to: '2026-11-20' },
    { format: 'xml' },
    { unknown: '1' },
  ])('refuses %o', async (query) => {
    const answer = await list(query);
    expectInvalid(answer);
    expect(answer.json.details).not.toHaveLength(0);
  });

  it('is for viewers and above, not for everyone', async () => {
    expect((await list({}, { Authorization: '' })).status).toBe(401);
    expect((await list({}, { Authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('a download', () => {
  it('is formula-safe CSV with everything that matches', async () => {
    await seed();
    here.services.statistics.record(
      refusalEvent(TEST_START, '203.0.113.9', { userId: '=HYPERLINK("http://evil")', path: '/x,"y"' }),
    );
    await here.services.statistics.flush();
    const answer = await list({ limit: '1' }, { Accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="decisions.csv"');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe(
      'at,outcome,class,reason,subject,identifier,method,path,ip,user_id,api_key_id,api_key_name,request_id,limit,window_seconds,used,cost,retry_after,reset,source,source_id,count,limit_name',
    );
    expect(lines[1]).toContain(`"/x,""y""",203.0.113.9,"'=HYPERLINK(""http://evil"")"`);
  });

  it('is JSON lines, in as many pages as it takes', async () => {
    const handle = here.services.database.handle!;
    for (let n = 0; n < 1_234; n += 1)
      handle.exec(`insert into decisions (at, outcome, class) values (${TEST_START + n}, 'refused', 'read')`);
    const answer = await list({ format: 'jsonl' });
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(1_234);
    expect(lines[0].id).toBe(1_234);
    expect(lines.at(-1).id).toBe(1);
  });
});

describe('the live stream', () => {
  function open(headers: Record<string, string> = {}, query = '') {
    const abort = new AbortController();
    const request = new Request(`http://sluice.test/v1/admin/decisions${query}`, {
      headers: { Authorization: `Bearer ${TEST_ADMIN_TOKEN}`, Accept: 'text/event-stream', ...headers },
      signal: abort.signal,
    });
    const { GET } = createEndpoint(() => Promise.resolve(here.services), [listDecisions], addEffects);
    return { abort, response: GET(request, { params: Promise.resolve({}) }) };
  }

  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
    let seen = '';
    while (!seen.includes(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The stream ended with: ${seen}`);
      seen += new TextDecoder().decode(value);
    }
    return seen;
  }

  it('tells what is decided from now on, by every process, and ends with its listener', async () => {
    await seed();
    const { response, abort } = open();
    const stream = await response;
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    expect(stream.headers.get('cache-control')).toContain('no-store');
    const reader = stream.body!.getReader();
    expect(await readUntil(reader, ': open\n\n')).toMatch(/^retry: \d+\n/);
    const other = await here.another();
    other.statistics.record(refusalEvent(TEST_START + 9_000, '198.51.100.1', { path: '/new' }));
    await other.statistics.flush();
    const seen = await readUntil(reader, '\n\n');
    expect(seen).toMatch(/^id: 5\nevent: decision\ndata: \{.*\}\n\n$/);
    expect(JSON.parse(/data: (.*)/.exec(seen)?.[1] ?? '')).toMatchObject({
      id: 5,
      path: '/new',
      identifier: '198.51.100.1',
    });
    abort.abort();
    expect((await reader.read()).done).toBe(true);
  });

  it('resumes after Last-Event-ID, with the filter', async () => {
    await seed();
    const { response, abort } = open({ 'Last-Event-ID': '1' }, '?outcome=refused');
    const reader = (await response).body!.getReader();
    const seen = await readUntil(reader, 'id: 3');
    expect(seen).toContain('id: 2\n');
    expect(seen).not.toContain('id: 1\n');
    abort.abort();
    await reader.cancel();
  });

  it('is open 20 times for one caller at most, and again when one has ended', async () => {
    const streams = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { response, abort } = open();
        return { abort, stream: await response };
      }),
    );
    const opened = streams.filter(({ stream }) => stream.status === 200);
    const refused = streams.filter(({ stream }) => stream.status === 429);
    expect([opened.length, refused.length]).toEqual([20, 10]);
    expect(Number(refused[0]?.stream.headers.get('retry-after'))).toBeGreaterThan(0);
    opened[0]?.abort.abort();
    await opened[1]?.stream.body?.cancel();
    const more = [open(), open(), open()];
    const statuses = await Promise.all(more.map(async ({ response }) => (await response).status));
    expect(statuses.sort()).toEqual([200, 200, 429]);
    for (const { abort } of [...opened, ...more]) abort.abort();
  });

  it('refuses a Last-Event-ID of something else', async () => {
    expect((await open({ 'Last-Event-ID': 'x' }).response).status).toBe(400);
  });

  it('looks at the log about once a second', () => {
    expect(POLL).toBe(1_000);
  });
});
