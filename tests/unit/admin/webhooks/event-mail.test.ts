import { expect, it } from 'vitest';
import { formatEventMail } from '@/lib/admin/webhooks/event-mail';

const EVENT = {
  id: '019ac8f2-6b1e-7000-8000-00003f5a9c21',
  type: 'quota.threshold',
  at: Date.UTC(2026, 10, 20, 12),
  data: { alert: 'a1', summary: 'The key Reports has used 80% of its quota.', link: '/keys/7' },
};
const SENDING = { webhook: 'Night shift', origin: 'https://sluice.example.com', from: 'Sluice <sluice@example.com>' };

it('says what and where in the subject, and leads to the page', () => {
  const mail = formatEventMail(EVENT, SENDING);
  expect(mail.subject).toBe('[Sluice sluice.example.com] The key Reports has used 80% of its quota');
  expect(mail.text).toContain('In the console: https://sluice.example.com/keys/7\n');
  expect([mail.messageId, mail.references]).toEqual([`<${EVENT.id}@example.com>`, '<a1@example.com>']);
});

it('says what is missing where the origin is not known', () => {
  const mail = formatEventMail(EVENT, { ...SENDING, origin: undefined });
  expect(mail.subject).toBe('[Sluice] The key Reports has used 80% of its quota');
  expect(mail.text).toContain('In the console: /keys/7 (set SLUICE_PUBLIC_URL for a link)');
  expect(mail.text).not.toContain('To change or stop it');
});

it('says that it is resolved, and why', () => {
  const data = { ...EVENT.data, resolution: 'A new month has begun.' };
  const mail = formatEventMail({ ...EVENT, type: 'quota.threshold.resolved', data }, SENDING);
  expect(mail.subject).toMatch(/\] Resolved: The key Reports has used 80% of its quota$/);
  expect(mail.text).toMatch(/^Resolved: The key Reports has used 80% of its quota\. A new month has begun\.\n/);
});

it('makes no fields and no lines of the names of others, and cuts a long subject between words', () => {
  const summary = `The key a\r\nBcc: b@example.com ${'long '.repeat(100)}has ended.`;
  const { subject, text } = formatEventMail(
    { ...EVENT, data: { ...EVENT.data, summary } },
    { ...SENDING, webhook: 'a\nb' },
  );
  expect(subject).toMatch(/^\[Sluice sluice\.example\.com\] The key a Bcc: b@example\.com (long )+long…$/);
  expect(subject.length).toBeLessThan(150);
  expect(text).toContain('Sent by the webhook a b of');
});
