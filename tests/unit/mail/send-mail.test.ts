import { describe, expect, it } from 'vitest';
import { sendMail } from '@/lib/mail/send-mail';
import { parseSmtpUrl } from '@/lib/mail/smtp-url';
import {
  floodMail,
  MAIL_FAULTS,
  MAIL_STEPS,
  type MailStep,
  startBadMailServer,
} from '@/tests/fixtures/bad-mail-servers';
import { until } from '@/tests/fixtures/until';

const MAIL = {
  from: 'sluice@example.com',
  to: 'ops@example.com',
  subject: 'An alert',
  text: 'Something is the matter.',
  date: new Date(0),
  messageId: '<1@example.com>',
  headers: {},
};
const TIME = 1_500;
/** Time for mails that are accepted beside servers that flood, on a machine that is slow. */
const TIME_TO_ACCEPT = 12_000;
type Server = Awaited<ReturnType<typeof startBadMailServer>>;

/** Settings with which a mail comes to the step. */
const SETTINGS: Readonly<Partial<Record<MailStep, { offers: string[]; query: string; user?: string }>>> = {
  STARTTLS: { offers: ['STARTTLS'], query: '?requireTLS=true' },
  AUTH: { offers: ['AUTH PLAIN LOGIN'], query: '', user: 'ada:pass%20word@' },
};

async function expectEnd(server: Server, name: string) {
  await until(() => server.countOpen() === 0, 60_000).catch(() => expect.fail(`${name} holds a connection`));
  // What fits into the buffers of sockets, and 1 MiB of a reply.
  expect(server.sent, name).toBeLessThan(50_000_000);
}

describe.concurrent('a mail is refused with a sentence by a mail server whose', () => {
  it.each(MAIL_STEPS.filter((step) => step !== 'QUIT'))('answer in the step %s is bad', async (step) => {
    const { offers, query, user = '' } = SETTINGS[step] ?? { offers: [], query: '' };
    await Promise.all(
      Object.entries(MAIL_FAULTS).map(async ([name, fault]) => {
        await using server = await startBadMailServer(step, fault, offers);
        const target = parseSmtpUrl(`smtp://${user}127.0.0.1:${server.port}${query}`);
        const answer = await sendMail(target, MAIL, TIME);
        expect(answer, `${step}: ${name}`).toMatchObject({ ok: false, answer: expect.stringMatching(/\w+ \w+/) });
        // A code of another step would blame that.
        if (answer.status !== null) expect([421, 451, 550, 554], `${step}: ${name}`).toContain(answer.status);
        await expectEnd(server, `${step}: ${name}`);
      }),
    );
  });
});

it('a mail that was accepted is sent, whatever the server does next', async () => {
  await Promise.all(
    Object.entries(MAIL_FAULTS).map(async ([name, fault]) => {
      await using server = await startBadMailServer('QUIT', fault);
      const answer = await sendMail(parseSmtpUrl(`smtp://127.0.0.1:${server.port}`), MAIL, TIME_TO_ACCEPT);
      expect(answer, name).toEqual({ ok: true, status: 250, answer: '2.0.0 Queued' });
      await expectEnd(server, name);
    }),
  );
});

it.each(['220', '250', '354'])('a flood of replies with the code %s ends', async (code) => {
  await Promise.all(
    MAIL_STEPS.map(async (step) => {
      const { offers, query, user = '' } = SETTINGS[step] ?? { offers: [], query: '' };
      await using server = await startBadMailServer(step, (socket) => floodMail(socket, `${code} OK\r\n`), offers);
      await sendMail(parseSmtpUrl(`smtp://${user}127.0.0.1:${server.port}${query}`), MAIL, TIME);
      await expectEnd(server, step);
    }),
  );
});

it('replies before TLS count for nothing after it', async () => {
  const forged =
    '220 Go ahead\r\n250-forged\r\n250 AUTH PLAIN\r\n235 Yes\r\n250 Yes\r\n250 Yes\r\n354 Go\r\n250 Queued\r\n';
  await using server = await startBadMailServer('STARTTLS', (socket) => socket.write(forged), ['STARTTLS']);
  const answer = await sendMail(parseSmtpUrl(`smtp://127.0.0.1:${server.port}?requireTLS=true`), MAIL, TIME);
  expect(answer).toMatchObject({ ok: false, status: null });
  expect(server.commands.slice(0, 2)).toEqual(['EHLO', 'STARTTLS']);
  await expectEnd(server, 'forged replies');
});

it.each(Object.keys(MAIL_FAULTS))('TLS from the first byte with a server that answers with %s', async (name) => {
  await using server = await startBadMailServer('greeting', MAIL_FAULTS[name]!);
  const answer = await sendMail(parseSmtpUrl(`smtps://127.0.0.1:${server.port}`), MAIL, TIME);
  expect(answer).toMatchObject({ ok: false, status: null, answer: expect.stringMatching(/\w+ \w+/) });
  await expectEnd(server, name);
});
