import { formatEventMail } from '@/lib/admin/webhooks/event-mail';
import { buildMessageBody, MESSAGE_HEADERS, type SentEvent } from '@/lib/admin/webhooks/message';
import type { WebhookRow } from '@/lib/admin/webhooks/row';
import { buildSignedHeaders } from '@/lib/admin/webhooks/signature';
import { listUnreadableParts, tryUnseal, unsealForWebhook } from '@/lib/auth/webhook-secrets';
import { listSecrets } from '@/lib/config/secrets';
import { createSecretHider } from '@/lib/logging/redact';
import { redactTokens } from '@/lib/logging/redact-tokens';
import { showInvisible } from '@/lib/logging/visible-text';
import { sendMail } from '@/lib/mail/send-mail';
import { parseSmtpUrl } from '@/lib/mail/smtp-url';
import { createGuardedFetch } from '@/lib/oauth/assessment/guarded-fetch';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** Longest attempt, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Longer, because mail servers delay unknown senders on purpose. It stays within the lease of `queue.ts`. */
const MAIL_TIMEOUT_MS = 30_000;
/** Characters of an answer that are stored. */
const KEPT_OF_ANSWER = 300;
/** Headers of an answer that are stored, and characters of each. */
const MOST_HEADERS = 24;
const KEPT_OF_HEADER = 120;
const SECRET_HEADER = /cookie|auth|token|secret|signature|key/i;

/** Result of an attempt. */
export interface AttemptOutcome {
  ok: boolean;
  /** HTTP or SMTP status. Null if there was no answer. */
  status: number | null;
  /** Start of the answer, or the reason why there was none. */
  answer: string;
  /** `Retry-After`, in milliseconds. */
  retryAfter: Millis | null;
  /** Headers of the answer that are stored. */
  headers: Record<string, string>;
}

/** Settings, secret and time of an attempt. */
export type Attempting = Pick<Services, 'config' | 'authSecret'> & { now: Millis };

const OTHER_SECRET = 'It was set up under another AUTH_SECRET: set its URL again, and rotate its secret.';
const NO_MAIL_SERVER = 'There is no mail server: SLUICE_SMTP_URL is not set.';

/** Sends an event to a webhook once. Never rejects; failures are in the outcome. */
export async function attempt(row: WebhookRow, event: Sent, attempting: Attempting): Promise<AttemptOutcome> {
  const opened = open(row, attempting.authSecret, attempting.now);
  if (opened === null) return createFailure(OTHER_SECRET);
  const { format, name } = row;
  return format === 'email' ? mailEvent(opened.url, name, event, attempting) : post(opened, format, event, attempting);
}

type Sent = SentEvent & { id: string };

async function mailEvent(
  url: string,
  webhook: string,
  event: Sent,
  { config, now }: Attempting,
): Promise<AttemptOutcome> {
  const { SLUICE_SMTP_URL: address, SLUICE_SMTP_FROM: from, SLUICE_PUBLIC_URL: origin } = config;
  if (address === undefined || from === undefined) return createFailure(NO_MAIL_SERVER);
  const composed = {
    from,
    to: url.slice('mailto:'.length),
    date: new Date(now),
    ...formatEventMail(event, { webhook, origin, from }),
  };
  const { ok, status, answer } = await sendMail(parseSmtpUrl(address), composed, MAIL_TIMEOUT_MS);
  // Some mail servers repeat a refused command, which can contain credentials.
  return {
    ok,
    status,
    answer: shortenAnswer(createSecretHider(listSecrets(config))(answer)),
    retryAfter: null,
    headers: {},
  };
}

async function post(
  opened: { url: string; secrets: string[] },
  format: Exclude<WebhookRow['format'], 'email'>,
  event: Sent,
  { config, now }: Attempting,
): Promise<AttemptOutcome> {
  const body = buildMessageBody(event, format, config.SLUICE_PUBLIC_URL);
  const timestamp = Math.floor(now / 1_000);
  const signed =
    opened.secrets.length === 0 ? {} : buildSignedHeaders({ id: event.id, timestamp, body }, opened.secrets);
  const headers = { ...MESSAGE_HEADERS, ...signed };
  const transport = createGuardedFetch({
    allowed: config.SLUICE_ASSESS_ALLOW,
    httpsForPublic: true,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    const answer = await transport(new Request(opened.url, { method: 'POST', headers, body }));
    const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return {
      ok: answer.ok,
      status: answer.status,
      answer: shortenAnswer(redactSignatures(await answer.text(), signed['webhook-signature'])),
      retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter * 1_000 : null,
      headers: selectKeptHeaders(answer.headers, signed['webhook-signature']),
    };
  } catch (error) {
    return createFailure(explainError(error));
  }
}

const createFailure = (answer: string): AttemptOutcome => ({
  ok: false,
  status: null,
  answer: shortenAnswer(answer),
  retryAfter: null,
  headers: {},
});

/** Decrypts the URL and the secrets that sign now. Null if another `AUTH_SECRET` encrypted them. */
function open(row: WebhookRow, authSecret: string, now: Millis): { url: string; secrets: string[] } | null {
  if (listUnreadableParts(row, authSecret).length > 0) return null;
  const { id, previousSecretUntil } = row;
  const previous = previousSecretUntil !== null && previousSecretUntil > now ? row.previousSecret : null;
  return {
    url: unsealForWebhook(row.url, { id, column: 'url' }, authSecret),
    secrets: [row.secret, previous].flatMap(
      (sealed) => (sealed === null ? null : tryUnseal(sealed, { id, column: 'secret' }, authSecret)) ?? [],
    ),
  };
}

/** Keeps the first headers of an answer, shortened. Leaves out cookies and credentials. */
function selectKeptHeaders(headers: Headers, signatures: string | undefined): Record<string, string> {
  const visible = [...headers].filter(([name]) => !SECRET_HEADER.test(name)).slice(0, MOST_HEADERS);
  return Object.fromEntries(
    visible.map(([name, value]) => [
      name.slice(0, KEPT_OF_HEADER),
      shortenAnswer(redactSignatures(value, signatures)).slice(0, KEPT_OF_HEADER),
    ]),
  );
}

/** Shortens a receiver's text to one line, without tokens and invisible characters. */
function shortenAnswer(text: string): string {
  return showInvisible(redactTokens(text.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim())).slice(0, KEPT_OF_ANSWER);
}

/** Redacts Sluice's signatures, because a receiver may echo the request. */
function redactSignatures(text: string, signatures: string | undefined): string {
  return (signatures ?? '')
    .split(' ')
    .map((signature) => signature.replace(/^v1,/, ''))
    .filter((signature) => signature !== '')
    .reduce((rest, signature) => rest.replaceAll(signature, '[signature]'), text);
}

function explainError(error: unknown): string {
  if (!(error instanceof Error)) return 'There was no answer.';
  if (error.message !== '') return error.message;
  // Every address of the host failed; the first error is enough.
  return error instanceof AggregateError ? String(error.errors[0]) : error.name;
}
