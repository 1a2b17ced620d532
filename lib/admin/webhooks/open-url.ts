import { isIP } from 'node:net';
import type { Config } from '@/lib/config/config';
import type { WebhookFormat } from '@/lib/contract/webhooks';
import {
  describeHostAllowance,
  findClosedReason,
  isPublicAddress,
  removeHostBrackets,
} from '@/lib/http/allowed-targets';
import { createInvalidField } from '@/lib/http/input';

/** Message that continues the field name `format`. */
const NO_MAIL_SERVER = 'needs a mail server: set SLUICE_SMTP_URL and SLUICE_SMTP_FROM';

/**
 * Refuses a URL that fails without a DNS look-up: closed addresses, http to public addresses, mail without a mail
 * server.
 * Host names are checked at each connection.
 * @throws ApiError invalid_request
 */
export function requireOpenUrl(
  url: string,
  format: WebhookFormat,
  { SLUICE_ASSESS_ALLOW: allowed, SLUICE_SMTP_URL: smtp }: Pick<Config, 'SLUICE_ASSESS_ALLOW' | 'SLUICE_SMTP_URL'>,
): void {
  const { hostname, protocol } = new URL(url);
  if (format === 'email') {
    if (protocol !== 'mailto:') throw createInvalidField('url', 'must be mailto: and an address for the format email');
    if (smtp === undefined) throw createInvalidField('format', NO_MAIL_SERVER);
    return;
  }
  if (protocol === 'mailto:') throw createInvalidField('url', 'is an address for mail, which has the format email');
  const address = removeHostBrackets(hostname);
  if (isIP(address) === 0) return;
  const closed = findClosedReason(address, address, allowed);
  if (closed !== null) throw createInvalidField('url', `is ${closed}. ${describeHostAllowance(address)}`);
  if (protocol === 'http:' && isPublicAddress(address)) throw createInvalidField('url', 'must be https');
}
