import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import { KeyLimitsSchema, type LimitWindow, StoredNamedLimitsSchema } from '@/lib/contract/fields/named-limit';
import { NamedNumbersSchema } from '@/lib/contract/fields/numbers';
import type { RuleLimit } from '@/lib/contract/route-rules';
import { hideFieldCredentials } from '@/lib/enforcement/hide-credentials';
import { type IncidentRecord, scaleLimit } from '@/lib/enforcement/incident';
import type { Origin, PlannedMeter } from '@/lib/enforcement/planned-meter';
import { type Address, formatSubjectOrUnknown } from '@/lib/limiter/address';
import { buildCounterPrefix, formatWindow } from '@/lib/limiter/counter-key';
import type { Window } from '@/lib/limiter/meter';
import { createMonths } from '@/lib/limiter/month-anchor';
import type { Millis, Seconds } from '@/lib/units';

/** One window of a limit. */
export interface WindowLimit {
  readonly limit: number;
  readonly window: Window;
}

/** Numbers in place of those of a named limit. Null: those of the limit. */
export interface OwnNumbers {
  readonly windows: readonly WindowLimit[] | null;
  /** Places in flight: a window as long as their lease. */
  readonly places: WindowLimit | null;
}

/** Numbers of one subject of a named limit. */
export interface SubjectOverride extends OwnNumbers {
  readonly id: string;
  readonly expiresAt: Millis | null;
}

/** A named limit, as the limiter uses it. */
export interface NamedLimitRecord {
  /** Names the counters. */
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly windows: readonly WindowLimit[];
  readonly tiers: Readonly<Partial<Record<QuotaTier, readonly WindowLimit[]>>>;
  /** Places in flight: a window as long as their lease. */
  readonly places: WindowLimit | null;
  readonly isClosedOnFailure: boolean;
  readonly lease: number | null;
  /** Origin of numbers that differ from those of the limit. */
  readonly origin: Origin;
}

export type NamedLimits = ReadonlyMap<string, NamedLimitRecord>;

/** Windows of named limits of one API key, by the name of the limit. */
export type KeyWindows = Readonly<Record<string, readonly WindowLimit[]>>;

/** An API key, as named limits use it. */
interface LimitedKey {
  readonly id: string;
  readonly tier: QuotaTier;
  readonly limits?: KeyWindows | null;
}

/** A named limit of a request, with its subject and the cost of the request. */
export interface LimitedSubject {
  readonly name: string;
  /** Null if the API key of the request is the subject. */
  readonly subject: string | null;
  readonly cost: number;
}

function buildWindowLimits(windows: readonly LimitWindow[]): WindowLimit[] {
  return windows.map(({ limit, seconds, day = 1 }) => {
    return { limit, window: seconds === 'month' ? createMonths(day, 0) : { kind: 'sliding', seconds } };
  });
}

function buildPlacesLimit({ limit, lease_seconds: seconds }: { limit: number; lease_seconds: Seconds }): WindowLimit {
  return { limit, window: { kind: 'sliding', seconds } };
}

/** Reads numbers in place of those of a named limit. @throws ZodError */
export function readOwnNumbers(value: unknown): OwnNumbers {
  const { windows, in_flight: inFlight } = NamedNumbersSchema.parse(value);
  return {
    windows: windows === undefined ? null : buildWindowLimits(windows),
    places: inFlight === undefined ? null : buildPlacesLimit(inFlight),
  };
}

/** Reads the stored named limits. */
export function readNamedLimits(value: unknown): { limits: NamedLimits } {
  const records = StoredNamedLimitsSchema.parse(value).map((stored): [string, NamedLimitRecord] => {
    const { id, name, unit, windows, tiers, in_flight: inFlight, on_store_failure: onFailure, lease } = stored;
    const places = inFlight && buildPlacesLimit(inFlight);
    const byTier = Object.fromEntries(
      Object.entries(tiers).map(([tier, own]) => [tier, buildWindowLimits(own)]),
    ) as NamedLimitRecord['tiers'];
    const isClosedOnFailure = onFailure === 'closed';
    const record = {
      id,
      name,
      unit,
      windows: buildWindowLimits(windows),
      tiers: byTier,
      places,
      isClosedOnFailure,
      lease,
      origin: { kind: 'limit', id: name, place: `limits.${name}` } as const,
    };
    return [name, record];
  });
  return { limits: new Map(records) };
}

/**
 * Reads the windows of named limits of one API key.
 * @param stored JSON; null if the key has none
 * @throws ZodError, SyntaxError
 */
export function readKeyLimits(stored: string | null): KeyWindows | null {
  if (stored === null) return null;
  const limits = KeyLimitsSchema.parse(JSON.parse(stored));
  return Object.fromEntries(Object.entries(limits).map(([name, windows]) => [name, buildWindowLimits(windows)]));
}

/** The rules that decide named limits. */
interface LimitRules {
  readonly limits: NamedLimits;
  findSubjectOverride(name: string, subject: string, now: Millis): SubjectOverride | undefined;
}

/**
 * Builds the meters of the named limits of a request. The numbers are those of an override of the subject, or else of
 * the API key, of its tier, or of the limit. A limit of a route rule that was removed counts nothing. A limit and subject
 * that are named twice are counted once, with the first cost.
 */
export function buildLimitMeters(
  rules: LimitRules,
  checkedLimits: readonly LimitedSubject[],
  { key, incident }: { key: LimitedKey | null; incident: IncidentRecord | null },
  now: Millis,
): readonly PlannedMeter[] {
  const meters: PlannedMeter[] = [];
  const seen = checkedLimits.length > 1 ? new Set<string>() : null;
  for (const { name, subject: named, cost } of checkedLimits) {
    const record = rules.limits.get(name);
    const subject = named ?? key?.id;
    if (record === undefined || subject === undefined) continue;
    if (seen !== null) {
      const thing = `${record.id}|${subject}`;
      if (seen.has(thing)) continue;
      seen.add(thing);
    }
    const override = rules.findSubjectOverride(name, subject, now);
    const prefix = buildCounterPrefix('limit', subject, record.id);
    const add = ({ windows, origin }: FoundWindows, isPlace: boolean) => {
      const named = { name, subject, isPlace };
      for (const { limit, window } of windows) {
        const meter: PlannedMeter = {
          subject: 'limit',
          key: prefix + formatWindow(window, isPlace),
          limit: incident?.mode === 'factor' ? scaleLimit(limit, incident.factor) : limit,
          window,
          identifier: subject,
          origin,
          named,
          cost: isPlace ? 1 : cost,
        };
        if (record.lease !== null && record.places === null && window.kind === 'sliding') meter.lease = record.lease;
        meters.push(meter);
      }
    };
    add(findWindows(record, key, override), false);
    if (record.places !== null) add(findPlaces(record, record.places, override), true);
  }
  return meters;
}

/** Windows of a limit and their source. */
interface FoundWindows {
  readonly windows: readonly WindowLimit[];
  readonly origin: Origin;
}

/** Returns the windows of a limit for a request with this API key and override. */
function findWindows(
  { name, windows, tiers, origin }: NamedLimitRecord,
  key: LimitedKey | null,
  override: SubjectOverride | undefined,
): FoundWindows {
  const { place } = origin;
  if (override !== undefined && override.windows !== null)
    return { windows: override.windows, origin: { kind: 'override', id: override.id, place } };
  if (key === null) return { windows, origin };
  const { id, tier, limits: own } = key;
  if (own != null && Object.hasOwn(own, name)) return { windows: own[name] ?? [], origin: { kind: 'key', id, place } };
  const ofTier = tiers[tier];
  return ofTier === undefined ? { windows, origin } : { windows: ofTier, origin: { kind: 'tier', id: tier, place } };
}

/** Returns the places of a limit: those of the override if it has any. */
function findPlaces({ origin }: NamedLimitRecord, places: WindowLimit, override: SubjectOverride | undefined) {
  const own = override?.places ?? null;
  if (override === undefined || own === null) return { windows: [places], origin };
  return { windows: [own], origin: { kind: 'override', id: override.id, place: origin.place } } satisfies FoundWindows;
}

/** Facts of a request that hold its subjects. */
interface SubjectFacts {
  readonly address?: Address | null | undefined;
  readonly client?: { readonly id: string };
  readonly header?: (name: string) => readonly string[];
}

/** Lists the named limits that route rules give a request, with their subjects. Those without a subject are left out. */
export function listRuleLimits(
  rules: readonly RuleLimit[],
  facts: SubjectFacts,
  { key, userId }: { key: LimitedKey | null; userId: string | null },
): LimitedSubject[] {
  const findSubjects = (kind: string): readonly (string | null)[] => {
    if (kind === 'ip') return [facts.address === undefined ? null : formatSubjectOrUnknown(facts.address)];
    if (kind === 'user') return [userId];
    if (kind === 'client') return [key?.id ?? facts.client?.id ?? null];
    const field = kind.slice('header:'.length);
    // Subjects are logged and listed.
    return facts.header?.(field).map((value) => hideFieldCredentials(field, value)) ?? [];
  };
  return rules.flatMap(({ name, subject: kind, cost = 1 }) =>
    findSubjects(kind).flatMap((subject) => (subject === null ? [] : [{ name, subject, cost }])),
  );
}

/** Longest lease of the places that a request holds, in seconds. 0 if it holds none. */
export function findLongestLease(meters: readonly Pick<PlannedMeter, 'named' | 'window'>[]): Seconds {
  let longest = 0;
  for (const { named, window } of meters)
    if (named?.isPlace === true && window.kind === 'sliding') longest = Math.max(longest, window.seconds);
  return longest;
}
