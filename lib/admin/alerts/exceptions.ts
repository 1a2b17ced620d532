import { sql } from 'drizzle-orm';
import type { NewAlert } from '@/lib/admin/alerts/events';
import { reconcile } from '@/lib/admin/alerts/reconcile';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { type ExceptionRow, readExceptions } from '@/lib/admin/exception-kind/exception-rows';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { formatNumber } from '@/lib/format-number';
import type { Services } from '@/lib/operation/services';
import { HOUR, type Millis } from '@/lib/units';

const EVENT = 'exception.ending';
/** Most exemptions that one call checks, those that end first. */
const MOST = 1_500;

/**
 * Alerts once on each allowlist entry, override and grant that ends within the configured hours.
 * Skips those created with a shorter life: their creator knows the end.
 */
export async function watchExceptions(services: Services): Promise<void> {
  const { settings, writer } = await createAlertWriter(services);
  const { enabled, hours } = settings.exception_ending;
  const { now } = writer;
  const ahead = hours * HOUR;
  const isEnding = sql`ends_at > ${now} and ends_at <= ${now + ahead} and ends_at - created_at > ${ahead}`;
  const ending = enabled ? await readExceptions(services.database, isEnding, [sql`ends_at`, sql`id`], MOST) : [];
  await reconcile(writer, {
    event: EVENT,
    alerts: ending.map((row) => buildEndingAlert({ ...row, endsAt: row.endsAt ?? 0 })),
    why: ({ period }) => {
      if (!enabled) return SWITCHED_OFF;
      return Date.parse(period ?? '') <= now ? 'It has ended.' : 'It was removed, or its end was changed.';
    },
  });
}

function buildEndingAlert(row: ExceptionRow & { endsAt: Millis }): NewAlert {
  const { kind, id, reason } = row;
  const end = formatTimestamp(row.endsAt);
  const at = `${end.slice(0, 10)} at ${end.slice(11, 16)} UTC`;
  const { what, link } = describeException(row);
  return {
    event: EVENT,
    subject: `${kind}:${id}`,
    period: end,
    data: { summary: `${what} ends on ${at} (${reason}).`, link, kind, id, ends_at: end, reason },
  };
}

function describeException({ kind, identifier, class: name, limitName, requests, keyName }: ExceptionRow) {
  const query = `q=${encodeURIComponent(identifier)}`;
  if (kind === 'allowlist') return { what: `The allowlist entry of ${identifier}`, link: `/allowlist?${query}` };
  if (kind === 'override')
    return { what: `The override of ${identifier} in ${limitName ?? name}`, link: `/limits/overrides?${query}` };
  const granted = formatNumber(requests ?? 0);
  return { what: `The grant of ${granted} requests to the key ${keyName}`, link: `/keys/${identifier}` };
}
