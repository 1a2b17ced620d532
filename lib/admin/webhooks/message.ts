import type { AlertData } from '@/lib/admin/alerts/row';
import { toInstant } from '@/lib/contract/fields/instant';
import type { WebhookFormat } from '@/lib/contract/webhooks';
import type { Millis } from '@/lib/units';

/** An event as it is sent. */
export interface SentEvent {
  type: string;
  at: Millis;
  data: AlertData;
}

/** Longest text that a chat takes. */
const MOST_OF_A_CHAT = 1_900;

/**
 * The body of a message, the same in each attempt.
 * @param origin of the console, where it is known: links are absolute then
 */
export function bodyOf(event: SentEvent, format: Exclude<WebhookFormat, 'email'>, origin: string | undefined): string {
  const { type, at, data } = event;
  if (format === 'standard') {
    const link = origin === undefined ? data.link : origin + data.link;
    return JSON.stringify({ type, timestamp: toInstant(at), data: { ...data, link } });
  }
  const text = textOf(event);
  const link = origin === undefined ? null : origin + data.link;
  if (format === 'slack') {
    const shown = escapedForSlack(text);
    return JSON.stringify({ text: link === null ? shown : `${shown} <${link}|Open>` });
  }
  const content = escapedForDiscord(text) + (link === null ? '' : ` <${link}>`);
  // Names of keys and reasons are anybody's text: nobody is to be called by them.
  return JSON.stringify({ content, allowed_mentions: { parse: [] } });
}

/** An event in one line, for people. */
export function textOf({ type, data }: Pick<SentEvent, 'type' | 'data'>): string {
  const resolved = type.endsWith('.resolved') ? `Resolved: ${data.summary} ${String(data.resolution ?? '')}` : null;
  return (resolved ?? data.summary).trim().slice(0, MOST_OF_A_CHAT);
}

/** https://docs.slack.dev/messaging/formatting-message-text: three characters begin what is not text. */
function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapedForDiscord(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<]/g, (character) => `\\${character}`);
}
