import { formatEventLine, type SentEvent } from '@/lib/admin/webhooks/message';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';

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
export function formatEventMail(event: SentEvent & { id: string }, { webhook, origin, from }: Sending): MailOfEvent {
  const { id, type, at, data } = event;
  const domain = /@([^\s@>]+)>?$/.exec(from.trim())?.[1] ?? 'localhost';
  const createMessageId = (name: string) => `<${name}@${domain}>`;
  const where = origin === undefined ? 'Sluice' : `Sluice ${new URL(origin).host}`;
  const isResolved = type.endsWith('.resolved');
  const time = formatTimestamp(at).slice(0, 19).replace('T', ' ');
  const lines = [
    formatEventLine(event),
    '',
    origin === undefined
      ? `In the console: ${data.link} (set SLUICE_PUBLIC_URL for a link)`
      : `In the console: ${origin}${data.link}`,
    `Event: ${type}`,
    `Time: ${time} UTC`,
    '',
    // The trailing space is part of the signature separator (RFC 3676 4.3).
    '-- ',
    `Sent by the webhook ${joinLines(webhook)} of ${where}.`,
    ...(origin === undefined ? [] : [`To change or stop it: ${origin}/settings?tab=alerts`]),
  ];
  return {
    subject: `[${where}] ${clipText(`${isResolved ? 'Resolved: ' : ''}${removePeriod(data.summary)}`)}`,
    text: `${lines.join('\n')}\n`,
    messageId: createMessageId(id),
    references: typeof data.alert === 'string' ? createMessageId(data.alert) : undefined,
    // This header keeps vacation responders from answering (RFC 3834 5).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Sluice-Event': type },
  };
}

function joinLines(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
}

function removePeriod(sentence: string): string {
  return joinLines(sentence).replace(/\.$/, '');
}

/** Shortens a text at a word boundary. */
function clipText(text: string): string {
  if (text.length <= LONGEST_SUBJECT) return text;
  return `${text.slice(0, LONGEST_SUBJECT).replace(/\s+\S*$/, '')}…`;
}
