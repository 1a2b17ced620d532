import { createUsageFailure } from '@/cli/failure';
import type { ListOption } from '@/cli/operation/form';
import { parseDuration, parseWholeNumber } from '@/cli/values';

/** Windows: `5/1h`, `100000/month`, `100000/month@15` for months that begin on the 15th. */
export const WINDOWS: ListOption = {
  value: 'UNITS/TIME',
  parse: (texts, flag) => texts.map((text) => parseWindow(text, flag)),
};

/** Windows by limit: `tokens=1000/1m`, several times for several windows; `tokens=` removes them. */
export const WINDOWS_BY_LIMIT: ListOption = {
  value: 'LIMIT=UNITS/TIME',
  parse(texts, flag) {
    const windows: Record<string, unknown[] | null> = {};
    for (const text of texts) {
      const [, name = '', window = ''] = /^([^=]+)=(.*)$/.exec(text) ?? [];
      if (name === '') throw createUsageFailure(`--${flag} takes a limit and a window, such as tokens=1000/1m.`);
      windows[name] = window === '' ? null : [...(windows[name] ?? []), parseWindow(window, flag)];
    }
    return windows;
  },
};

function parseWindow(text: string, flag: string): { limit: number; seconds: number | 'month'; day?: number } {
  const [, units = '', time = '', day] = /^([^/]+)\/([^@]+)(?:@(\d+))?$/.exec(text) ?? [];
  const milliseconds = parseDuration(time);
  if (time !== 'month' && (milliseconds === null || day !== undefined))
    throw createUsageFailure(`--${flag} takes units and a time, such as 5/30s, 100/1h, 5000/month or 5000/month@15.`);
  const limit = parseWholeNumber(flag, units);
  if (milliseconds !== null) return { limit, seconds: milliseconds / 1_000 };
  return day === undefined ? { limit, seconds: 'month' } : { limit, seconds: 'month', day: Number(day) };
}

/**
 * Limits of a check: `sms=+4915112345678`, `tokens=alice:500` with a cost, `tokens` or `tokens:500` for the API key. Only
 * whole numbers after the last colon are a cost, so a subject that ends in `:` and digits needs one.
 */
export const CHECKED_LIMITS: ListOption = {
  value: 'LIMIT=SUBJECT:COST',
  parse: (texts, flag) =>
    texts.map((text) => {
      const [, name = '', subject, cost] = /^([^=:]+)(?:=(.*?))?(?::(\d+))?$/s.exec(text) ?? [];
      if (name === '') throw createUsageFailure(`--${flag} takes a limit and a subject, such as sms=+4915112345678.`);
      return {
        name,
        ...(subject === undefined ? {} : { subject }),
        ...(cost === undefined ? {} : { cost: parseWholeNumber(flag, cost) }),
      };
    }),
};

/** Units that were used: `tokens=731`. */
export const COSTS: ListOption = {
  value: 'LIMIT=UNITS',
  parse: (texts, flag) =>
    Object.fromEntries(
      texts.map((text) => {
        const [, name = '', units = ''] = /^([^=]+)=(.*)$/.exec(text) ?? [];
        return [name, parseWholeNumber(flag, units)];
      }),
    ),
};
