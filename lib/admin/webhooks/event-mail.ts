import { type SentEvent, textOf } from '@/lib/admin/webhooks/message';
import { toInstant } from '@/lib/contract/fields/instant';

/** Longest subject, in characters. Most programs show less. */
const LONGEST_SUBJECT = 120;

interface MailOfEvent {
  subject: string;
  text: string;
  messageId: string;
  references: string | undefined;
  headers: Record<string, string>;
}

interface Sending {
  /** Name of the webhook. */
  webhook: string;
  /** Origin of the console, if it is configured. */
  origin: string | undefined;
  /** Address of the sender, with an optional name. */
  from: string;
}

/** Formats an event as a plain-text mail. A resolved alert joins the mail thread of its opening. */
export function mailOf(event: SentEvent & { id: string }, { webhook, origin, from }: Sending): MailOfEvent {
  const { id, type, at, data } = event;
  const domain = /@([^\s@>]+)>?$/.exec(from.trim())?.[1] ?? 'localhost';
  const idOf = (name: string) => `<${name}@${domain}>`;
  const where = origin === undefined ? 'Sluice' : `Sluice ${new URL(origin).host}`;
  const isResolved = type.endsWith('.resolved');
  const moment = toInstant(at).slice(0, 19).replace('T', ' ');
  const lines = [
    textOf(event),
    '',
    origin === undefined
      ? `In the console: ${data.link} (set SLUICE_PUBLIC_URL for a link)`
      : `In the console: ${origin}${data.link}`,
    `Event: ${type}`,
    `Time: ${moment} UTC`,
    '',
    // The trailing space is part of the signature separator (RFC 3676 4.3).
    '-- ',
    `Sent by the webhook ${inOneLine(webhook)} of ${where}.`,
    ...(origin === undefined ? [] : [`To change or stop it: ${origin}/settings?tab=alerts`]),
  ];
  return {
    subject: `[${where}] ${clipped(`${isResolved ? 'Resolved: ' : ''}${withoutPeriod(data.summary)}`)}`,
    text: `${lines.join('\n')}\n`,
    messageId: idOf(id),
    references: typeof data.alert === 'string' ? idOf(data.alert) : undefined,
    // This header keeps vacation responders from answering (RFC 3834 5).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Sluice-Event': type },
  };
}

function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}

function withoutPeriod(sentence: string): string {
  return inOneLine(sentence).replace(/\.$/, '');
}

/** Shortens a text at a word boundary. */
function clipped(text: string): string {
  if (text.length <= LONGEST_SUBJECT) return text;
  return `${text.slice(0, LONGEST_SUBJECT).replace(/\s+\S*$/, '')}…`;
}
