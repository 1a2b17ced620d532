import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { listWebhooks } from '@/lib/admin/webhooks/list';
import { rotateWebhook } from '@/lib/admin/webhooks/rotate';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { updateWebhook } from '@/lib/admin/webhooks/update';
import { agreeOnAuthSecret, reportUnreadableWebhooks } from '@/lib/auth/agree-on-auth-secret';
import type { Services } from '@/lib/operation/services';
import { open, webhookTo } from '@/tests/fixtures/alert-events';
import { call } from '@/tests/fixtures/call';
import { testServices } from '@/tests/fixtures/services';
import { WebhookReceiver } from '@/tests/fixtures/webhook-receiver';

const NEW = 'the-next-secret-of-the-tests-0123456789-01234';
/** Of an instance that still runs with the old secret, and of one with the new one. */
let old: Services;
let renewed: Services;
let receiver: WebhookReceiver;
let warned: unknown[][];

beforeEach(async () => {
  const here = await testServices({ SLUICE_ASSESS_ALLOW: '127.0.0.0/8' });
  receiver = await WebhookReceiver.start();
  onTestFinished(async () => {
    await receiver[Symbol.asyncDispose]();
    here[Symbol.dispose]();
  });
  old = here.services;
  renewed = { ...old, authSecret: NEW };
  warned = [];
  await start(old);
});

/** What a start does about the secret. */
async function start({ database, authSecret: secret, clock, randomBytes }: Services, previous?: string): Promise<void> {
  const logger = { warn: (...line: unknown[]) => void warned.push(line) };
  const config = { AUTH_SECRET: secret, AUTH_SECRET_PREVIOUS: previous };
  await agreeOnAuthSecret({ database, config, secret, now: clock(), randomBytes, logger });
  await reportUnreadableWebhooks({ database, secret, logger });
}

async function send(services: Services): Promise<number> {
  const sender = new DeliverySender(services);
  const begun = await sender.sendDue();
  await sender.waitUntilSettled();
  return begun;
}

const unreadable = async () =>
  (await call(renewed, listWebhooks)).json.map(({ unreadable: what }: { unreadable: string[] }) => what);

/** The signatures of the newest message, and those that the secrets make. */
function signatures(...secrets: string[]) {
  const { headers, body } = receiver.received.at(-1) ?? { headers: {}, body: '' };
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  const made = secrets.map((secret) => new Webhook(secret).sign(String(headers['webhook-id']), at, body));
  return [String(headers['webhook-signature']).split(' '), made];
}

it('a webhook survives the rotation of AUTH_SECRET, with both of its secrets, and no instance spoils a delivery', async () => {
  const { id, secret } = await webhookTo(old, receiver.url);
  const rotated = await call(old, rotateWebhook, { params: { id }, body: {} });
  await start(renewed, old.authSecret);
  expect(await unreadable()).toEqual([[]]);
  await open(renewed, 'a');
  // The instances are restarted one after the other: one with the old secret leaves the delivery to the others.
  expect(await send(old)).toBe(0);
  expect(await send(renewed)).toBe(1);
  const [sent, made] = signatures(rotated.json.secret, secret);
  expect(sent).toEqual(made);
  expect(receiver.received[0]?.body).toContain('"store.down"');
  expect(warned).toEqual([[{ secondFactors: 0 }, expect.stringContaining('AUTH_SECRET was replaced')]]);
});

it('without the old secret the log names it at each start, and what happens waits until it is set again', async () => {
  const { id } = await webhookTo(old, receiver.url, { name: 'On-call' });
  const chat = await webhookTo(old, `${receiver.url}&chat`, { name: 'Chat', format: 'slack', events: ['clock.skew'] });
  await start(renewed, 'lost');
  expect(warned.at(-1)).toEqual([
    { webhooks: ['Chat', 'On-call'] },
    expect.stringContaining('set the URL of each again'),
  ]);
  expect(await unreadable()).toEqual([['url'], ['url', 'secret']]);
  await open(renewed, 'a');
  expect(await send(renewed)).toBe(0);
  const tested = await call(renewed, testWebhook, { params: { id } });
  expect(tested.json.attempts[0].answer).toBe(
    'It was set up under another AUTH_SECRET: set its URL again, and rotate its secret.',
  );

  const params = { id };
  const changed = await call(renewed, updateWebhook, { params, body: { url: receiver.url } });
  expect(changed.json.unreadable).toEqual(['secret']);
  expect(await send(renewed)).toBe(0);
  const rotated = await call(renewed, rotateWebhook, { params, body: {} });
  await call(renewed, updateWebhook, { params: { id: chat.id }, body: { url: receiver.url } });
  expect(await unreadable()).toEqual([[], []]);
  expect(await send(renewed)).toBe(1);
  const [sent, made] = signatures(rotated.json.secret);
  expect(sent).toEqual(made);
  await start(renewed);
  expect(warned).toHaveLength(2);
});
