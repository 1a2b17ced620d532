import { describe, expect, it } from 'vitest';
import { webhooks } from '@/drizzle/alerts-schema';
import { getAlertSettings, putAlertSettings } from '@/lib/admin/alerts/settings';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import { readState } from '@/lib/admin/state/read';
import { createToken } from '@/lib/admin/tokens/create';
import { undoChange } from '@/lib/admin/undo/undo';
import { createWebhook } from '@/lib/admin/webhooks/create';
import { listWebhooks } from '@/lib/admin/webhooks/list';
import { removeWebhook } from '@/lib/admin/webhooks/remove';
import { rotateWebhook } from '@/lib/admin/webhooks/rotate';
import { updateWebhook } from '@/lib/admin/webhooks/update';
import { unsealForWebhook } from '@/lib/auth/webhook-secrets';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const HOOK = { name: 'On-call', url: 'https://hooks.example.com/sluice?token=secret' };
const create = async (fields = {}) => (await call(here.services, createWebhook, { body: { ...HOOK, ...fields } })).json;
const undo = (headers: Headers) =>
  call(here.services, undoChange, { params: { seq: headers.get('x-audit-seq') ?? '' } });
const stored = async (id: string) => {
  const { services } = here;
  const rows = await services.database.drizzle.select().from(webhooks);
  const row = rows.find((each) => each.id === id);
  return row && { ...row, opened: unsealForWebhook(row.url, { id, column: 'url' }, services.authSecret) };
};

describe('the settings of alerts', () => {
  it('are those of a fresh installation until they are set, as a whole, by who has read them', async () => {
    const { services } = here;
    const read = await call(services, getAlertSettings);
    expect(read.json).toMatchObject({
      quota_threshold: { enabled: true, percent: [80, 100] },
      quota_forecast: { enabled: true, days: 7 },
      refusals_burst: { enabled: true, refusals: 300, minutes: 5 },
      exception_ending: { enabled: true, hours: 24 },
      store_down: { enabled: true, seconds: 15 },
      clock_skew: { enabled: true, seconds: 2 },
    });
    const body = { quota_threshold: { percent: [90, 50, 90] }, clock_skew: { enabled: false } };
    const put = (headers: Record<string, string>) => call(services, putAlertSettings, { body, headers });
    expect((await put({ 'If-Match': '"stale"' })).status).toBe(412);
    const set = await put({ 'If-Match': read.headers.get('etag') ?? '' });
    expect(set.json).toMatchObject({
      quota_threshold: { enabled: true, percent: [50, 90] },
      clock_skew: { enabled: false, seconds: 2 },
    });
    expect((await undo(set.headers)).json.restored).toBe('The alerts were restored.');
    expect((await call(services, getAlertSettings)).json).toEqual(read.json);
  });

  it('make sense', async () => {
    for (const body of [
      { quota_threshold: { percent: [] } },
      { quota_threshold: { percent: [0] } },
      { refusals_burst: { minutes: 61 } },
      { quota_forecast: { days: 1.5 } },
      { fax: {} },
    ])
      expectInvalid(await call(here.services, putAlertSettings, { body }));
  });

  it('are a section of a state document, of which kinds that are missing are left alone', async () => {
    const { services } = here;
    await call(services, putAlertSettings, { body: { quota_forecast: { days: 3 } } });
    const pulled = (await call(services, readState)).json;
    expect((await call(services, planState, { body: pulled })).json.changes).toEqual([]);
    const body = { version: 1, alerts: { exception_ending: { hours: 48 } } };
    const [change] = (await call(services, applyState, { body })).json.changes;
    expect(change).toMatchObject({ action: 'update', kind: 'alerts', id: 'alerts' });
    expect((await call(services, applyState, { body })).json.changes).toEqual([]);
    const read = await call(services, getAlertSettings);
    expect(read.json).toMatchObject({ quota_forecast: { days: 3 }, exception_ending: { hours: 48 } });
    expect(read.headers.get('sluice-managed')).toBe('true');
    await call(services, applyState, { body, query: { prune: 'true' } });
    expect((await call(services, getAlertSettings)).json.quota_forecast.days).toBe(7);
  });
});

describe('a webhook', () => {
  it('shows its secret once, and of its address what is no credential', async () => {
    const made = await create();
    expect(made).toMatchObject({ name: 'On-call', url: 'https://hooks.example.com/sluice?…', events: [], pending: 0 });
    expect(made.secret).toMatch(/^whsec_/);
    const slack = await create({ name: 'Chat', url: 'https://hooks.slack.com/services/T/B/x', format: 'slack' });
    expect(slack).toMatchObject({ url: 'https://hooks.slack.com/…', secret: null });
    const listed = await call(here.services, listWebhooks);
    expect(listed.json.map(({ name }: { name: string }) => name)).toEqual(['Chat', 'On-call']);
    const { rows } = await here.services.database.client.execute('select * from webhooks, audit');
    for (const secret of [made.secret, 'token=secret', 'services/T/B/x'])
      expect(listed.text + JSON.stringify(rows)).not.toContain(secret);
    expect((await call(here.services, createWebhook, { body: HOOK })).status).toBe(409);
    const { json } = await call(here.services, rotateWebhook, { params: { id: slack.id }, body: {} });
    expect(json.error).toBe('conflict');
  });

  it('is listed in the natural order of names', async () => {
    for (const name of ['hook 10', 'Hook 9', 'hook 102']) await create({ name });
    const listed = await call(here.services, listWebhooks, { query: { sort: 'name' } });
    expect(listed.json.map(({ name }: { name: string }) => name)).toEqual(['Hook 9', 'hook 10', 'hook 102']);
  });

  it('is foretold without a secret', async () => {
    const { text } = await call(here.services, createWebhook, { body: HOOK, query: { dry_run: 'true' } });
    expect(text).toMatch(/"secret":null/);
    expect(text).not.toMatch(/whsec_|token=secret/);
  });

  it('is changed and removed, and both can be taken back', async () => {
    const { services } = here;
    const { id } = await create();
    const params = { id };
    const body = { name: 'Night', url: 'https://night.example.com/', events: ['store.down'], enabled: false };
    const changed = await call(services, updateWebhook, { params, body });
    expect(changed.json).toMatchObject(body);
    expect((await stored(id))?.opened).toBe('https://night.example.com/');
    expect((await undo(changed.headers)).json.restored).toBe('The webhook On-call was restored.');
    expect(await stored(id)).toMatchObject({ name: 'On-call', enabled: true, events: '[]', opened: HOOK.url });
    const removed = await call(services, removeWebhook, { params });
    expect(removed.status).toBe(204);
    expect((await call(services, listWebhooks)).json).toEqual([]);
    expect((await call(services, removeWebhook, { params })).status).toBe(404);
    const restored = await undo(removed.headers);
    expect(restored.json.restored).toBe('The webhook On-call is there again.');
    expect((await call(services, listWebhooks)).json).toHaveLength(1);
    await undo(restored.headers);
    expect((await call(services, listWebhooks)).json).toEqual([]);
  });

  it('is for owners to make, and for everybody to see', async () => {
    const token = async (role: string) =>
      (await call(here.services, createToken, { body: { name: role, role } })).json.token;
    for (const [role, made, seen] of [
      ['viewer', 403, 200],
      ['operator', 403, 200],
      ['owner', 201, 200],
      ['gateway', 403, 403],
    ] as const) {
      const headers = { Authorization: `Bearer ${await token(role)}` };
      expect((await call(here.services, createWebhook, { body: HOOK, headers })).status).toBe(made);
      expect((await call(here.services, listWebhooks, { headers })).status).toBe(seen);
    }
  });
});
