import type { AlertData } from '@/lib/admin/alerts/row';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { WebhookFormat } from '@/lib/contract/webhooks';
import type { Millis } from '@/lib/units';

/** Content of an event to send. */
export interface SentEvent {
  type: string;
  at: Millis;
  data: AlertData;
}

/** Headers of every message. Signed ones have more. */
export const MESSAGE_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Sluice' } as const;

/** Longest text for a chat. */
const MOST_OF_A_CHAT = 1_900;

/**
 * Builds the body of a message, which is the same in each attempt.
 * @param origin of the console, which makes links absolute; undefined if it is not configured
 */
export function buildMessageBody(
  event: SentEvent,
  format: Exclude<WebhookFormat, 'email'>,
  origin: string | undefined,
): string {
  const { type, at, data } = event;
  if (format === 'standard') {
    const link = origin === undefined ? data.link : origin + data.link;
    return JSON.stringify({ type, timestamp: formatTimestamp(at), data: { ...data, link } });
  }
  const text = formatEventLine(event);
  const link = origin === undefined ? null : origin + data.link;
  if (format === 'slack') {
    const shown = escapeForSlack(text);
    return JSON.stringify({ text: link === null ? shown : `${shown} <${link}|Open>` });
  }
  const content = escapeForDiscord(text) + (link === null ? '' : ` <${link}>`);
  // Names of keys and reasons are untrusted text, so they must not mention chat users.
  return JSON.stringify({ content, allowed_mentions: { parse: [] } });
}

/** Formats an event as one line for people. */
export function formatEventLine({ type, data }: Pick<SentEvent, 'type' | 'data'>): string {
  const resolved = type.endsWith('.resolved') ? `Resolved: ${data.summary} ${String(data.resolution ?? '')}` : null;
  return (resolved ?? data.summary).trim().slice(0, MOST_OF_A_CHAT);
}

/** Escapes the control characters of Slack: https://docs.slack.dev/messaging/formatting-message-text */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeForDiscord(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<]/g, (character) => `\\${character}`);
}
