import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createWebhook } from '@/lib/admin/webhooks/create';
import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { replayDelivery } from '@/lib/admin/webhooks/replay';
import { rotateWebhook } from '@/lib/admin/webhooks/rotate';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { updateWebhook } from '@/lib/admin/webhooks/update';
import { sendMail } from '@/lib/mail/send-mail';
import { parseSmtpUrl } from '@/lib/mail/smtp-url';
import { open, resolve, webhookTo } from '@/tests/fixtures/alert-events';
import { call } from '@/tests/fixtures/call';
import { MailServer, silentServer } from '@/tests/fixtures/mail-server';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { type TestServices, testServices } from '@/tests/fixtures/services';
import { certificate } from '@/tests/fixtures/tls-server';

const TO = 'mailto:ops@example.com';
const FROM = 'Sluice <sluice@example.com>';
const MINUTE = 60_000;
let server: MailServer;
let here: TestServices;
let sender: DeliverySender;

const servicesWith = async (environment: Record<string, string>) => {
  const made = await testServices({ SLUICE_PUBLIC_URL: 'https://limits.example.com', ...environment });
  onTestFinished(() => made[Symbol.dispose]());
  return made;
};

beforeEach(async () => {
  server = await MailServer.start();
  onTestFinished(() => server[Symbol.asyncDispose]());
  here = await servicesWith({ SLUICE_SMTP_URL: server.url, SLUICE_SMTP_FROM: FROM });
  sender = new DeliverySender(here.services);
});

const byMail = () => webhookTo(here.services, TO, { name: 'Night shift', format: 'email' });
const deliveriesOf = async (id: string) => (await call(here.services, listDeliveries, { params: { id } })).json;
const send = async () => {
  const begun = await sender.sendDue();
  await sender.waitUntilSettled();
  return begun;
};

describe('a webhook of the format email', () => {
  it('mails what opens and what resolves, as text, in one thread, and keeps the answer of the server', async () => {
    const { id } = await byMail();
    await open(here.services, 'a');
    await resolve(here.services, 'a');
    expect([await send(), await send(), await send()]).toEqual([1, 1, 0]);
    expect(server.subjects).toEqual([
      '[Sluice limits.example.com] Something is the matter with a',
      '[Sluice limits.example.com] Resolved: Something is the matter with a',
    ]);
    const [opened, resolved] = server.received;
    expect(opened).toMatchObject({ from: 'sluice@example.com', to: ['ops@example.com'], user: undefined });
    const field = (mail: typeof opened, name: string) => mail?.headers.get(name);
    expect(field(opened, 'from')).toBe(FROM);
    expect(field(opened, 'to')).toBe('ops@example.com');
    expect(field(opened, 'content-type')).toBe('text/plain; charset=utf-8');
    expect(field(opened, 'auto-submitted')).toBe('auto-generated');
    expect(field(opened, 'x-sluice-event')).toBe('store.down');
    expect(Date.parse(field(opened, 'date') ?? '')).toBe(here.clock.now);
    expect(field(resolved, 'references')).toBe(field(opened, 'references'));
    expect(opened?.body).toBe(
      [
        'Something is the matter with a.',
        '',
        'In the console: https://limits.example.com/',
        'Event: store.down',
        'Time: 2026-11-20 12:00:00 UTC',
        '',
        '-- ',
        'Sent by the webhook Night shift of Sluice limits.example.com.',
        'To change or stop it: https://limits.example.com/settings?tab=alerts',
        '',
      ].join('\n'),
    );
    expect(resolved?.body).toMatch(/^Resolved: Something is the matter with a\. It is well again\.\n/);
    const [second, first] = await deliveriesOf(id);
    expect(field(opened, 'message-id')).toBe(`<${first.event_id}@example.com>`);
    expect(first.attempts).toEqual([expect.objectContaining({ status: 250, answer: 'queued as 1' })]);
    expect(second.state).toBe('delivered');
  });

  it('is sent again, under one Message-ID, by a server that refuses, hangs, goes away and comes back', async () => {
    const { id } = await byMail();
    server.answers.push({ code: 451, text: '4.7.1 Greylisted, come back later' }, 'hang');
    await open(here.services, 'a');
    await send();
    await resolve(here.services, 'a');
    here.clock.advance(MINUTE);
    await sender.sendDue();
    await expect.poll(() => server.received.length).toBe(2);
    await server.go();
    await sender.waitUntilSettled();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      here.clock.advance(45 * MINUTE);
      await send();
    }
    expect((await deliveriesOf(id)).map(({ state }: { state: string }) => state)).toEqual(['pending', 'pending']);
    await server.come();
    here.clock.advance(180 * MINUTE);
    await send();
    await send();
    const [resolved, opened] = await deliveriesOf(id);
    expect([opened.state, resolved.state]).toEqual(['delivered', 'delivered']);
    const [greylisted, hung, away] = opened.attempts;
    expect(greylisted).toMatchObject({ status: 451, answer: 'Message failed: 4.7.1 Greylisted, come back later' });
    expect(hung.status).not.toBe(250);
    expect(away).toMatchObject({ status: null, answer: expect.stringMatching(/ECONNREFUSED/) });
    expect(opened.attempts.at(-1)).toMatchObject({ status: 250 });
    const ids = server.received.map(({ headers }) => headers.get('message-id'));
    expect(new Set(ids.slice(0, 3))).toEqual(new Set([`<${opened.event_id}@example.com>`]));
    expect(ids.slice(3)).toEqual([`<${resolved.event_id}@example.com>`]);
  });

  it('is tested at once, and replayed', async () => {
    const { id } = await byMail();
    server.answers.push({ code: 550, text: '5.1.1 No such mailbox' });
    const refused = await call(here.services, testWebhook, { params: { id } });
    expect(refused.json).toMatchObject({ state: 'failed' });
    expect(refused.json.attempts[0]).toMatchObject({ status: 550, answer: 'Message failed: 5.1.1 No such mailbox' });
    const params = { id, delivery: String(refused.json.id) };
    await call(here.services, replayDelivery, { params });
    await send();
    expect((await deliveriesOf(id))[0].state).toBe('delivered');
    expect(server.subjects).toEqual(
      Array(2).fill('[Sluice limits.example.com] This is a test of the webhook Night shift'),
    );
  });

  it('needs one address and a mail server, and nothing else takes an address of mail', async () => {
    const refusal = async (url: string, format: string, of = here.services) => {
      const { status, json } = await call(of, createWebhook, { body: { name: url, url, format } });
      return [status, ...(json.details ?? []).map((detail: object) => Object.values(detail).join(' '))];
    };
    const none = await servicesWith({});
    expect(await refusal(TO, 'email', none.services)).toEqual([
      400,
      'format needs a mail server: set SLUICE_SMTP_URL and SLUICE_SMTP_FROM',
    ]);
    for (const url of [
      'mailto:',
      'mailto:ops',
      'mailto:a@example.com,b@example.com',
      'mailto:a@example.com?bcc=b@example.com',
      'mailto:a%0Ab@example.com',
      'mailto:Ops <a@example.com>',
    ])
      expect(await refusal(url, 'email')).toEqual([400, 'url must be mailto: and one e-mail address']);
    expect(await refusal('https://hooks.example.com/', 'email')).toEqual([
      400,
      expect.stringMatching(/^url must be mai/),
    ]);
    expect(await refusal(TO, 'standard')).toEqual([400, expect.stringMatching(/^url is an address for mail/)]);
  });

  it('has no secret, and takes another address but no URL', async () => {
    const made = await byMail();
    const params = { id: made.id };
    expect(made).toMatchObject({ secret: null, url: TO, format: 'email' });
    expect((await call(here.services, rotateWebhook, { params, body: {} })).status).toBe(409);
    const changed = await call(here.services, updateWebhook, { params, body: { url: 'mailto:night@example.com' } });
    expect(changed.json.url).toBe('mailto:night@example.com');
    expect((await call(here.services, updateWebhook, { params, body: { url: 'https://example.com/' } })).status).toBe(
      400,
    );
    await call(here.services, testWebhook, { params });
    expect(server.received[0]?.to).toEqual(['night@example.com']);
  });
});

describe('the mail server', () => {
  const attemptWith = async (url: string) => {
    const made = await servicesWith({ SLUICE_SMTP_URL: url, SLUICE_SMTP_FROM: FROM });
    const { id } = await webhookTo(made.services, TO, { format: 'email' });
    const { text, json } = await call(made.services, testWebhook, { params: { id } });
    return { text, ...json.attempts[0] };
  };

  it('gets a password that no answer shows, also where it repeats it', async () => {
    const strict = await MailServer.start({
      authOptional: false,
      onAuth: ({ username, password }, _, done) =>
        password === 'open/sesame' ? done(null, { user: username }) : done(new Error(`no: ${password}`)),
    });
    onTestFinished(() => strict[Symbol.asyncDispose]());
    const as = (password: string) => strict.url.replace('//', `//ops%40example.com:${password}@`);
    expect(await attemptWith(as('open%2Fsesame'))).toMatchObject({ status: 250 });
    expect(strict.received[0]?.user).toBe('ops@example.com');
    const wrong = await attemptWith(as('another-password'));
    expect(wrong).toMatchObject({ status: 535, answer: 'Invalid login: no: [redacted]' });
    expect(wrong.text).not.toContain('another-password');
  });

  it('that offers no TLS gets nothing where it is required', async () => {
    expect(await attemptWith(`${server.url}?requireTLS=true`)).toMatchObject({
      answer: expect.stringMatching(/STARTTLS/),
    });
    expect(server.received).toEqual([]);
  });

  it.skipIf(partsAreMissing('integration/alerts (mail over TLS)', 'openssl'))(
    'whose certificate no authority vouches for gets nothing',
    async () => {
      const own = certificate();
      const secure = await MailServer.start({ ...own, secure: true });
      const upgraded = await MailServer.start(own);
      for (const each of [secure, upgraded]) onTestFinished(() => each[Symbol.asyncDispose]());
      for (const url of [`smtps://localhost:${secure.port}`, `smtp://localhost:${upgraded.port}`])
        expect(await attemptWith(url)).toMatchObject({ status: null, answer: expect.stringMatching(/self-signed/) });
      expect(await attemptWith(`${upgraded.url}?ignoreTLS=true`)).toMatchObject({ status: 250 });
      expect(upgraded.received.map(({ secure: encrypted }) => encrypted)).toEqual([false]);
    },
  );

  it('that says nothing is given up in time', async () => {
    await using silent = await silentServer();
    const mail = { from: FROM, to: 'ops@example.com', subject: 's', text: 't', date: new Date(0), messageId: '<a@b>' };
    expect(await sendMail(parseSmtpUrl(silent.url), { ...mail, headers: {} }, 100)).toEqual({
      ok: false,
      status: null,
      answer: 'No answer within 0.1 s.',
    });
  });
});
