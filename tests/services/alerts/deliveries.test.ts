import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listAudit } from '@/lib/admin/audit-log/list';
import { createWebhook } from '@/lib/admin/webhooks/create';
import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { listWebhooks } from '@/lib/admin/webhooks/list';
import { replayDelivery } from '@/lib/admin/webhooks/replay';
import { rotateWebhook } from '@/lib/admin/webhooks/rotate';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { updateWebhook } from '@/lib/admin/webhooks/update';
import type { Services } from '@/lib/operation/services';
import { open, resolve, webhookTo } from '@/tests/fixtures/alert-events';
import { call } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';
import { late, reset, silence, status, WebhookReceiver } from '@/tests/fixtures/webhook-receiver';

const ALLOWED = { SLUICE_ASSESS_ALLOW: '127.0.0.0/8' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let here: TestServices;
let services: Services;
let receiver: WebhookReceiver;
let sender: DeliverySender;

beforeEach(async () => {
  here = await testServices(ALLOWED);
  services = here.services;
  receiver = await WebhookReceiver.start();
  sender = new DeliverySender(services);
  onTestFinished(async () => {
    await sender.waitUntilSettled();
    await receiver[Symbol.asyncDispose]();
    here[Symbol.dispose]();
  });
});

/** Sends what is due now, and waits for what comes of it. */
async function send(by = sender): Promise<number> {
  const begun = await by.sendDue();
  await by.waitUntilSettled();
  return begun;
}

/** Lets time pass, a minute at a time, until nothing is pending or a day and a half is over. */
async function sendForADay(): Promise<void> {
  for (let minute = 0; minute < 36 * 60; minute += 1) {
    here.clock.advance(MINUTE);
    await send();
  }
}

const deliveriesOf = async (id: string) => (await call(services, listDeliveries, { params: { id } })).json;

describe('a webhook', () => {
  it('keeps no signature that its receiver echoes, and shows characters that nobody sees', async () => {
    const { id } = await webhookTo(services, receiver.url);
    await open(services, 'a');
    receiver.answers.push((response) => {
      const signature = String(receiver.received.at(-1)?.headers['webhook-signature']);
      response.writeHead(500).end(`${signature} \u202egnp.exe\u200b and ${signature}`);
    });
    await send();
    const text = JSON.stringify(await deliveriesOf(id));
    const [, signature = ''] = String(receiver.received[0]?.headers['webhook-signature']).split(',');
    expect(signature).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(text).not.toContain(signature);
    expect(text).toContain('[signature]');
    expect(text).not.toMatch(/[\u200b\u202e]/);
    expect(text).toContain('\\\\u202egnp.exe');
  });

  it('shows what is sent and what is answered, with headers and without secrets', async () => {
    const { id } = await webhookTo(services, receiver.url);
    await open(services, 'a');
    receiver.answers.push((response) => {
      const secrets = { 'set-cookie': 'session=zyx', 'x-api-key': 'zyx', 'x-auth-token': 'zyx' };
      response.writeHead(503, { 'content-type': 'text/plain', 'x-trace': 't-1', ...secrets }).end('busy');
    });
    await send();
    const [delivery] = await deliveriesOf(id);
    const [sent] = receiver.received;
    expect(delivery.request).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(delivery.request.body).toBe(sent?.body);
    expect(delivery.request.headers['webhook-id']).toBe(sent?.headers['webhook-id']);
    expect(delivery.request.headers['webhook-timestamp']).toBe(sent?.headers['webhook-timestamp']);
    expect(delivery.request.headers['webhook-signature']).toBe('[signature]');
    expect(delivery.attempts[0]).toMatchObject({ status: 503, answer: 'busy' });
    expect(delivery.attempts[0].headers).toMatchObject({ 'content-type': 'text/plain', 'x-trace': 't-1' });
    // No id holds this by chance.
    expect(JSON.stringify(delivery)).not.toContain('zyx');
  });

  it('gets what opens and what resolves, signed as the library of Standard Webhooks verifies', async () => {
    const { id, secret } = await webhookTo(services, receiver.url);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await open(services, 'a');
    await resolve(services, 'a');
    expect(await send()).toBe(1);
    expect(await send()).toBe(1);
    expect(await send()).toBe(0);
    expect(receiver.types).toEqual(['store.down', 'store.down.resolved']);
    const verifier = new Webhook(secret);
    for (const { headers, body } of receiver.received) {
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Sluice' });
      expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(here.clock.now / 1000));
      const at = new Date(here.clock.now);
      const signature = verifier.sign(String(headers['webhook-id']), at, body);
      expect(headers['webhook-signature']).toBe(signature);
    }
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
      type: 'store.down',
      timestamp: new Date(here.clock.now).toISOString(),
      data: { alert: expect.any(String), summary: 'Something is the matter with a.', link: '/' },
    });
    const [resolved, opened] = await deliveriesOf(id);
    expect(opened).toMatchObject({ type: 'store.down', state: 'delivered', next_attempt_at: null });
    expect(opened.attempts).toEqual([expect.objectContaining({ status: 204, answer: '' })]);
    expect(opened.event_id).toBe(receiver.received[0]?.headers['webhook-id']);
    expect(resolved.summary).toBe('Resolved: Something is the matter with a. It is well again.');
  });

  it('that fails, breaks off and answers late gets each event at last, under one id, in order', async () => {
    await webhookTo(services, receiver.url);
    receiver.answers.push(status(500), reset, status(404), late(300), status(302, { Location: receiver.url }));
    await open(services, 'a');
    await resolve(services, 'a');
    await open(services, 'b');
    await sendForADay();
    const ids = receiver.received.map(({ headers, body }) => [JSON.parse(body), headers['webhook-id']] as const);
    const delivered = ids.map(([{ type, data }, id]) => ({ type, data, id }));
    const ofA = delivered.filter(({ data }) => data.summary.includes('with a.'));
    const firstResolved = ofA.findIndex(({ type }) => type === 'store.down.resolved');
    expect(ofA.slice(0, firstResolved).every(({ type }) => type === 'store.down')).toBe(true);
    expect(ofA.slice(firstResolved).every(({ type }) => type === 'store.down.resolved')).toBe(true);
    expect(new Set(delivered.map(({ id }) => id)).size).toBe(3);
    expect(receiver.received.length).toBeGreaterThan(3);
  });

  it('that is away is asked eight times in about a day, and then given up; replay sends what it missed', async () => {
    const { id } = await webhookTo(services, receiver.url);
    await receiver.go();
    await open(services, 'a');
    await send();
    await sendForADay();
    const [given] = await deliveriesOf(id);
    expect(given).toMatchObject({ state: 'failed', next_attempt_at: null });
    expect(given.attempts).toHaveLength(8);
    const times = given.attempts.map(({ at }: { at: string }) => Date.parse(at));
    expect(times.at(-1) - times[0]).toBeGreaterThan(22 * HOUR);
    expect(times.at(-1) - times[0]).toBeLessThan(28 * HOUR);
    expect(given.attempts[0].answer).toMatch(/ECONNREFUSED/);
    await receiver.come();
    const replayed = await call(services, replayDelivery, { params: { id, delivery: String(given.id) } });
    expect(replayed.json).toMatchObject({ state: 'pending', id: given.id });
    await send();
    expect((await deliveriesOf(id))[0].state).toBe('delivered');
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([given.event_id]);
  });

  it.each(['a delivery', 'a test'])('that answers 410 to %s is disabled, until somebody enables it', async (what) => {
    const { id } = await webhookTo(services, receiver.url);
    const read = async () => (await call(services, listWebhooks)).json[0];
    receiver.answers.push(status(410));
    await open(services, 'a');
    if (what === 'a test') await call(services, testWebhook, { params: { id } });
    else expect(await send()).toBe(1);
    expect(await read()).toMatchObject({ enabled: false, disabled_reason: 'gone', pending: 1 });
    here.clock.advance(HOUR);
    expect(await send()).toBe(0);
    const records = (await call(services, listAudit, { query: { action: 'webhook.update' } })).json;
    expect(records).toMatchObject([
      {
        actor: 'system',
        reason: 'Its receiver answered 410 Gone.',
        before: { enabled: true, disabled_reason: null },
        after: { enabled: false, disabled_reason: 'gone' },
      },
    ]);
    const { json } = await call(services, updateWebhook, { params: { id }, body: { enabled: true } });
    expect(json).toMatchObject({ enabled: true, disabled_reason: null });
    expect(await send()).toBe(1);
    expect(await read()).toMatchObject({ pending: 0, disabled_reason: null });
  });

  it('that was given another address is not disabled by what the old one answers', async () => {
    const { id } = await webhookTo(services, receiver.url);
    receiver.answers.push(async (response) => {
      await call(services, updateWebhook, { params: { id }, body: { url: `${receiver.url}&new` } });
      status(410)(response);
    });
    await open(services, 'a');
    await send();
    expect((await call(services, listWebhooks)).json[0]).toMatchObject({ enabled: true, disabled_reason: null });
  });

  it('keeps to the pause that a receiver asks for', async () => {
    const { id } = await webhookTo(services, receiver.url);
    receiver.answers.push(status(429, { 'Retry-After': '600' }));
    await open(services, 'a');
    await send();
    const [waiting] = await deliveriesOf(id);
    expect(Date.parse(waiting.next_attempt_at) - here.clock.now).toBeGreaterThanOrEqual(600_000);
    here.clock.advance(5 * MINUTE);
    expect(await send()).toBe(0);
  });

  it('that hangs holds up nobody else, and not its other subjects either', async () => {
    const other = await WebhookReceiver.start();
    onTestFinished(() => other[Symbol.asyncDispose]());
    await webhookTo(services, receiver.url);
    await webhookTo(services, other.url);
    receiver.answers.push(silence);
    for (const subject of ['a', 'b', 'c']) await open(services, subject);
    await sender.sendDue();
    await expect.poll(() => [other.received.length, receiver.received.length]).toEqual([3, 3]);
    // What hangs is claimed: nobody sends it a second time meanwhile.
    expect(await new DeliverySender(await here.another()).sendDue()).toBe(0);
    await receiver.go();
    await sender.waitUntilSettled();
  });

  it('is sent each event once by two instances that race', async () => {
    await webhookTo(services, receiver.url);
    const second = new DeliverySender(await here.another());
    const subjects = Array.from({ length: 12 }, (_, i) => `subject ${i}`);
    for (const subject of subjects) await open(services, subject);
    for (const subject of subjects) await resolve(services, subject);
    for (let round = 0; round < 20; round += 1) await Promise.all([send(), send(second)]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(24);
    expect(new Set(ids).size).toBe(24);
  });

  it('of an instance that was killed is taken over when its lease has run out', async () => {
    await webhookTo(services, receiver.url);
    receiver.answers.push(silence);
    await open(services, 'a');
    const killed = new DeliverySender(services);
    await killed.sendDue();
    await expect.poll(() => receiver.received.length).toBe(1);
    here.clock.advance(59_000);
    expect(await send()).toBe(0);
    here.clock.advance(2_000);
    expect(await send()).toBe(1);
    expect(receiver.received).toHaveLength(2);
    // What the first one learns now comes too late to be kept.
    await receiver.go();
    await killed.waitUntilSettled();
  });

  it('sends what it was made for, and nothing while it is switched off', async () => {
    const { id } = await webhookTo(services, receiver.url, { events: ['clock.skew'] });
    await open(services, 'a');
    expect(await send()).toBe(0);
    await call(services, updateWebhook, { params: { id }, body: { events: [], enabled: false } });
    await open(services, 'b');
    expect(await send()).toBe(0);
    const tested = await call(services, testWebhook, { params: { id } });
    expect(tested.json).toMatchObject({ type: 'webhook.test', state: 'delivered' });
    await call(services, updateWebhook, { params: { id }, body: { enabled: true } });
    await open(services, 'c');
    expect(await send()).toBe(1);
  });

  it('is tested at once, and once', async () => {
    const { id } = await webhookTo(services, receiver.url);
    receiver.answers.push(status(418));
    const { json } = await call(services, testWebhook, { params: { id } });
    expect(json).toMatchObject({ type: 'webhook.test', state: 'failed' });
    expect(json.attempts).toEqual([expect.objectContaining({ status: 418, answer: 'answer 418' })]);
    here.clock.advance(HOUR);
    expect(await send()).toBe(0);
    expect((await call(services, testWebhook, { params: { id }, query: { dry_run: 'true' } })).status).toBe(200);
    expect(receiver.received).toHaveLength(1);
  });

  it('signs by both secrets through the grace of a rotation', async () => {
    const { id, secret } = await webhookTo(services, receiver.url);
    const rotated = await call(services, rotateWebhook, { params: { id }, body: { grace_seconds: 60 } });
    expect(rotated.json.secret).not.toBe(secret);
    await call(services, testWebhook, { params: { id } });
    here.clock.advance(60_000);
    await call(services, testWebhook, { params: { id } });
    const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' '));
    expect(signatures.map((list) => list.length)).toEqual([2, 1]);
    const [first] = receiver.received;
    const signed = (by: string) =>
      new Webhook(by).sign(
        String(first?.headers['webhook-id']),
        new Date(Number(first?.headers['webhook-timestamp']) * 1000),
        first?.body ?? '',
      );
    expect(signatures[0]).toEqual([signed(rotated.json.secret), signed(secret)]);
  });

  it('goes to private addresses only where they are allowed, and to public ones by https', async () => {
    const create = (url: string, of = services) =>
      call(of, createWebhook, { body: { name: url, url } }).then(({ status: code }) => code);
    expect(await create('http://10.0.0.7/hook')).toBe(400);
    expect(await create('https://169.254.169.254/hook')).toBe(400);
    expect(await create('http://192.0.2.1/hook')).toBe(400);
    expect(await create('http://8.8.8.8/hook')).toBe(400);
    expect(await create('https://user:password@hooks.example.com/')).toBe(400);
    expect(await create('ftp://hooks.example.com/')).toBe(400);
    // A name is only known when it is connected to.
    using strict = await testServices();
    const { id } = await webhookTo(strict.services, receiver.url.replace('127.0.0.1', 'localhost'));
    expect((await call(strict.services, testWebhook, { params: { id } })).json.attempts[0].answer).toMatch(
      /localhost resolves to a loopback address/,
    );
  });
});
