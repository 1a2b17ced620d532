import type { Form } from '@/cli/operation/form';
import { WINDOWS } from '@/cli/operation/limit-texts';
import { isJsonObject } from '@/lib/json';

const TIERS = ['free', 'starter', 'business', 'enterprise'].map((tier) => `tiers.${tier}`);

const PLACES = { 'in_flight.limit': 'in-flight', 'in_flight.lease_seconds': 'lease-seconds' } as const;

/** Numbers in place of those of a named limit. `--window` is the length of a class's window there. */
export const OWN_NUMBERS = { flags: PLACES, lists: { windows: WINDOWS } } as const;

/** Fields of a new or a changed limit. */
const LIMIT: Form = {
  flags: {
    windows: 'window',
    ...PLACES,
    ...Object.fromEntries(TIERS.map((tier) => [tier, tier.replace('.', '-')])),
  },
  lists: Object.fromEntries(['windows', ...TIERS].map((name) => [name, WINDOWS])),
};

export const LIMIT_FORMS: Readonly<Record<string, Form>> = {
  'limits list': {
    columns: ['name', 'windows', 'in_flight', 'unit', 'on_store_failure', 'used_by', 'description'],
    drop: ['description', 'on_store_failure', 'used_by'],
    row: (limit) => ({
      ...limit,
      windows: describeWindows(limit.windows),
      in_flight: describePlaces(limit.in_flight),
      used_by: describeUse(limit.used_by),
    }),
    examples: ['sluice limits list'],
  },
  'limits get': { examples: ['sluice limits get sms', 'sluice limits get sms --json'] },
  'limits create': {
    ...LIMIT,
    arguments: ['name'],
    examples: [
      'sluice limits create sms --window 1/30s --window 5/1h --description "Codes by text message"',
      'sluice limits create tokens --unit tokens --window 20000/1m --window 500000/1d',
      'sluice limits create exports --in-flight 2 --lease-seconds 600',
    ],
  },
  'limits update': {
    ...LIMIT,
    examples: [
      'sluice limits update sms --window 1/30s --window 10/1h --reason "Codes arrive late"',
      `sluice limits update exports --data '{"in_flight": null}'`,
    ],
  },
  'limits remove': {
    done: 'Removed',
    examples: ['sluice limits remove sms --dry-run', 'sluice limits remove sms --reason "No more codes"'],
  },
};

function describeWindows(windows: unknown): string {
  const all = Array.isArray(windows) ? windows.filter(isJsonObject) : [];
  return all.map(({ limit, seconds }) => `${limit} in ${seconds === 'month' ? 'a month' : `${seconds} s`}`).join(', ');
}

function describePlaces(places: unknown): string | null {
  return isJsonObject(places) ? `${places.limit} for ${places.lease_seconds} s` : null;
}

function describeUse(use: unknown): string {
  if (!isJsonObject(use)) return '';
  return `${use.route_rules} rules, ${use.api_keys} keys, ${use.overrides} overrides`;
}
