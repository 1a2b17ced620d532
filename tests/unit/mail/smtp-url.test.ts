import { expect, it } from 'vitest';
import { parseSmtpUrl, SmtpUrlError } from '@/lib/mail/smtp-url';
import { refusedBy } from '@/tests/fixtures/refused-by';

const PLAIN = { secure: false, requireTLS: false, ignoreTLS: false };

it.each([
  ['smtp://mail.example.com', { ...PLAIN, host: 'mail.example.com', port: 587 }],
  ['smtp://localhost:25/', { ...PLAIN, host: 'localhost', port: 25 }],
  ['smtp://[::1]:25?ignoreTLS=true', { ...PLAIN, host: '::1', port: 25, ignoreTLS: true }],
  ['smtps://mail.example.com', { ...PLAIN, host: 'mail.example.com', port: 465, secure: true }],
  ['smtp://mail.example.com?requireTLS=true', { ...PLAIN, host: 'mail.example.com', port: 587, requireTLS: true }],
  [
    'smtp://ops%40example.com:p%2Fw%25@mail.example.com',
    {
      ...PLAIN,
      host: 'mail.example.com',
      port: 587,
      requireTLS: true,
      auth: { user: 'ops@example.com', pass: 'p/w%' },
    },
  ],
  ['smtp://u:p@127.0.0.1:25', { ...PLAIN, host: '127.0.0.1', port: 25, auth: { user: 'u', pass: 'p' } }],
  [
    'smtp://u:p@mail.example.com?requireTLS=false',
    { ...PLAIN, host: 'mail.example.com', port: 587, auth: { user: 'u', pass: 'p' } },
  ],
])('%s names a server', (url, server) => {
  expect(parseSmtpUrl(url)).toEqual(server);
});

it.each([
  ['mail.example.com', 'is not a URL'],
  ['http://mail.example.com', 'must be smtp:// or smtps://'],
  ['smtp://', 'names no host'],
  ['smtp://mail.example.com/inbox', 'must have neither a path nor a fragment'],
  ['smtp://user@mail.example.com', 'must have both a user and a password, or none'],
  ['smtp://u:100%@mail.example.com', 'has a % in its user or password that should be %25'],
  ['smtp://a?logger=true', 'may have the options requireTLS and ignoreTLS, which are true or false'],
  ['smtp://a?requireTLS=1', 'may have the options requireTLS and ignoreTLS, which are true or false'],
  ['smtp://a?requireTLS=true&ignoreTLS=true', 'cannot both require TLS and ignore it'],
])('%s does not', (url, message) => {
  expect(refusedBy(SmtpUrlError, () => parseSmtpUrl(url))?.message).toBe(message);
});
