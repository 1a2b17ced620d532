import { type EventWriter, type NewAlert, openAlert, resolveAlert } from '@/lib/admin/alerts/events';
import { type AlertRow, openAlerts, recordSeen, writeOnce } from '@/lib/admin/alerts/reconcile';
import { ANSWERS_AGAIN, detectDegradedStore, findOpenStoreAlerts } from '@/lib/admin/alerts/store-degraded';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { checkHealth } from '@/lib/admin/service/check-health';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { locateMigrations } from '@/lib/db/migrate';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/**
 * Time without confirmation after which an instance may resolve the alert of another instance. Every instance checks at
 * intervals of a few seconds.
 */
const UNSEEN_FOR: Millis = 45_000;

/** Longest wait, because platforms end long calls. */
const LONGEST_WAIT: Millis = 30_000;

/** The parts of readiness that raise alerts. */
const PARTS = {
  counter_store: 'The counter store',
  database: 'The database',
} as const;
type Part = keyof typeof PARTS;
const NAMES: readonly Part[] = ['counter_store', 'database'];

/** Tracks the health of the parts and the clock skew, as one process sees them. */
export class HealthWatch {
  /** Start of the current outage, by part. */
  readonly #downSince = new Map<Part, Millis>();
  /** The last outage of the database, which could not be recorded while it lasted. */
  #databaseWasDown: { since: Millis; until: Millis } | null = null;

  constructor(private readonly services: Services) {}

  /** Checks the parts and the clocks, and raises or resolves alerts. @throws DatabaseUnavailable */
  async check(): Promise<void> {
    const { database, counters, breaker, config, clock, engine } = this.services;
    const health = await checkHealth({
      ...{ database, counters, breaker, migrationsFolder: locateMigrations(config.directory) },
      monotonic: () => performance.now(),
    });
    const now = clock();
    for (const part of NAMES) {
      if (!health[part].ok) this.#downSince.set(part, this.#downSince.get(part) ?? now);
      else {
        const since = this.#downSince.get(part);
        if (part === 'database' && since !== undefined) this.#databaseWasDown = { since, until: now };
        this.#downSince.delete(part);
      }
    }
    if (!health.database.ok) throw new DatabaseUnavailable('The database is down: nothing can be reported.');
    const { settings, writer } = await createAlertWriter(this.services);
    const least = settings.store_down.seconds * 1_000;
    await this.#reportDatabase(writer, settings.store_down.enabled, least);
    // An outage of an embedded store never arrives here, because the database check has thrown.
    const since = this.#downSince.get('counter_store');
    const isDown = since !== undefined && now - since >= least;
    await this.#reportStore(writer, settings.store_down.enabled, isDown ? since : null);
    const skew = Math.round(engine.clockSkew);
    const isOff = settings.clock_skew.enabled && Math.abs(skew) > settings.clock_skew.seconds * 1_000;
    const why = settings.clock_skew.enabled ? 'The clocks agree again.' : SWITCHED_OFF;
    const open = await openAlerts(database, 'clock.skew');
    await this.#reportPart(writer, open, isOff ? buildSkewAlert(skew) : null, why);
  }

  /**
   * Checks a counter store a second time if the first check found it down, after the outage time of the settings.
   * Serves processes that keep no state between calls.
   * @param wait resolves after that many milliseconds
   * @returns whether it checked again
   * @throws DatabaseUnavailable
   */
  async checkAgain(wait: (milliseconds: Millis) => Promise<unknown>): Promise<boolean> {
    if (!this.#downSince.has('counter_store')) return false;
    const { settings } = await createAlertWriter(this.services);
    await wait(Math.min(settings.store_down.seconds * 1_000, LONGEST_WAIT));
    await this.check();
    return true;
  }

  /** Reports an outage of the database after it ends, because it cannot be written before. */
  async #reportDatabase(writer: EventWriter, enabled: boolean, least: Millis): Promise<void> {
    const outage = this.#databaseWasDown;
    if (outage === null) return;
    if (enabled && outage.until - outage.since >= least) {
      const alert = storeAlert('database', outage.since);
      await writeOnce(writer.database, openAlert(writer, alert, outage.since));
      const open = await openAlerts(writer.database, 'store.down');
      const row = open.find(({ subject }) => subject === alert.subject);
      if (row !== undefined) await writeOnce(writer.database, resolveAlert(writer, row, 'It works again.'));
    }
    this.#databaseWasDown = null;
  }

  /** Raises one alert for the counter store: down, or failing intermittently. */
  async #reportStore(writer: EventWriter, enabled: boolean, downSince: Millis | null): Promise<void> {
    const { database, now } = writer;
    const open = await findOpenStoreAlerts(database);
    const down = enabled && downSince !== null ? storeAlert('counter_store', downSince) : null;
    if (down !== null && open.degraded !== undefined) {
      const ended = resolveAlert(writer, open.degraded, 'It is down now.');
      await writeOnce(database, [...ended, ...openAlert(writer, down)]);
      return;
    }
    await this.#reportPart(writer, open.down, down, enabled ? 'It works again.' : SWITCHED_OFF);
    if (down !== null || open.down.length > 0) return;
    const { alert, isOver } = await detectDegradedStore(database, now);
    if (open.degraded === undefined) {
      if (enabled && alert !== null) await writeOnce(database, openAlert(writer, alert));
    } else if (isOver || !enabled) {
      const resolution = enabled ? ANSWERS_AGAIN : SWITCHED_OFF;
      await writeOnce(database, resolveAlert(writer, open.degraded, resolution));
    }
  }

  async #reportPart(
    writer: EventWriter,
    open: readonly AlertRow[],
    alert: NewAlert | null,
    resolution: string,
  ): Promise<void> {
    const { database, now } = writer;
    if (alert !== null) {
      const row = open.find(({ subject }) => subject === alert.subject);
      if (row === undefined) await writeOnce(database, openAlert(writer, alert));
      else await recordSeen(database, row.id, now);
      return;
    }
    for (const row of open)
      if (resolution === SWITCHED_OFF || row.seenAt <= now - UNSEEN_FOR)
        await writeOnce(database, resolveAlert(writer, row, resolution));
  }
}

function storeAlert(part: Part, since: Millis): NewAlert {
  const at = formatTimestamp(since);
  return {
    event: 'store.down',
    subject: part,
    period: null,
    data: {
      summary: `${PARTS[part]} is down since ${at.slice(11, 19)} UTC.`,
      link: '/',
      part,
      state: 'down',
      since: at,
    },
  };
}

function buildSkewAlert(skew: Millis): NewAlert {
  const seconds = Math.abs(skew) / 1_000;
  const which = skew > 0 ? 'ahead of' : 'behind';
  const summary = `The clock of the counter store is ${seconds} s ${which} the one of an instance of Sluice.`;
  return {
    event: 'clock.skew',
    subject: 'counter_store',
    period: null,
    data: { summary, link: '/', skew_ms: skew },
  };
}
