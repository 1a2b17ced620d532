import { formatWindow } from '@/components/format/duration';
import { TARGET_LABEL } from '@/components/links/target';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { capitalize } from '@/lib/capitalize';
import type { LimitWindow } from '@/lib/contract/fields/named-limit';
import { formatNumber } from '@/lib/format-number';

/** Display names of fields in audit records. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  has_password: 'Password',
  overage_allowed: 'Overage',
  month_starts_on: 'Month starts on day',
  expires_at: 'Ends',
  until: 'Until',
  user_id: 'User',
  email: 'E-mail',
  limit: 'Limit',
  window_seconds: 'Window',
  usage: 'Used',
  prefix: 'Secret starts with',
  previous_secret_until: 'Old secret works until',
  threshold_percent: 'Threshold',
  on_store_failure: 'if the store is down',
  lease: 'lease',
  in_flight: 'In flight',
  lease_seconds: 'lease',
  windows: 'Windows',
  limits: 'Limit',
  limit_name: 'Named limit',
  ip: 'per address',
  user: 'per user',
  global: 'Global throttle',
  exceptions: 'Exceptions',
  longest_days: 'longest life in days',
  allow_everyone: 'every address may be allowlisted',
  count_preflights: 'Count preflights',
  cors_origins: 'Origins that may read refusals',
};

/** Names each section of the policies, given its class, client type or tier. */
const SECTION_NAMES: Readonly<Record<string, (name: string) => string>> = {
  classes: (name) => lookUpName(CLASS_NAMES, name),
  clients: (name) => `${capitalize(name)} clients`,
  tiers: (name) => `${lookUpName(TIER_NAMES, name)} tier`,
  tier_rates: (name) => `${lookUpName(TIER_NAMES, name)} tier, per minute`,
};

const VALUE_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  class: CLASS_NAMES,
  tier: TIER_NAMES,
  role: ROLE_NAMES,
  type: TARGET_LABEL,
  overage_allowed: { true: 'allowed', false: 'not allowed' },
  has_password: { true: 'set', false: 'none' },
  on_store_failure: { closed: 'answer 503', local: 'allow half' },
};

/** Text for a missing value, by field. */
const ABSENT: Readonly<Record<string, string>> = { expires_at: 'never', until: 'never', class: 'all classes' };

export function lookUpName(names: Readonly<Record<string, string>>, value: unknown): string {
  return names[String(value)] ?? String(value);
}

/** Names a path in a document: `classes.auth.ip` becomes "Auth, per address". */
export function nameFieldPath(path: readonly string[]): string {
  const [section = '', name, ...rest] = path;
  const inSection = SECTION_NAMES[section];
  if (inSection && name !== undefined) return [inSection(name), ...rest.map(namePart)].join(', ');
  return capitalize(path.map(namePart).join(', '));
}

function namePart(part: string): string {
  return FIELD_NAMES[part] ?? part.replaceAll('_', ' ');
}

/** Formats a value in words. Times stay RFC 3339; the page converts them to the reader's zone. */
export function describeValue(field: string, value: unknown): string {
  if (value === null || value === undefined) return ABSENT[field] ?? 'none';
  const names = VALUE_NAMES[field];
  if (names) return lookUpName(names, value);
  if (isLimit(value)) return formatLimit(value);
  if (isLimitWindow(value)) return formatLimitWindow(value);
  if (typeof value === 'number') {
    if (field === 'threshold_percent') return `${value}%`;
    return field.endsWith('_seconds') ? formatWindow(value) : formatNumber(value);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(String).join(', ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Limit {
  limit: number;
  window_seconds: number;
}

export function isLimit(value: unknown): value is Limit {
  if (typeof value !== 'object' || value === null) return false;
  const { limit, window_seconds: window } = value as Readonly<Record<string, unknown>>;
  return typeof limit === 'number' && typeof window === 'number';
}

/** True for one window of a named limit. */
export function isLimitWindow(value: unknown): value is LimitWindow {
  if (typeof value !== 'object' || value === null) return false;
  const { limit, seconds } = value as Readonly<Record<string, unknown>>;
  return typeof limit === 'number' && (typeof seconds === 'number' || seconds === 'month');
}

/** Formats one window of a named limit: `10 in 1 s`, `1,000 a month`, `1,000 a month from day 15`. */
export function formatLimitWindow({ limit, seconds, day = 1 }: LimitWindow): string {
  if (seconds !== 'month') return `${formatNumber(limit)} in ${formatWindow(seconds)}`;
  return `${formatNumber(limit)} a month${day === 1 ? '' : ` from day ${day}`}`;
}

/** Formats a limit: `250 in 1 h`. */
export function formatLimit({ limit, window_seconds: window }: Limit): string {
  return `${formatNumber(limit)} in ${formatWindow(window)}`;
}
