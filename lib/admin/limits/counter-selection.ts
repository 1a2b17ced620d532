import type { CallerType } from '@/lib/contract/fields/enumerations';
import type { CounterSelection, CounterStore } from '@/lib/counters/store';
import type { NamedLimitRecord } from '@/lib/enforcement/named-limits';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';
import { type AddressRange, countBits, formatAddressSubject, isWithin, parseRange } from '@/lib/limiter/address';
import { buildCounterPrefix } from '@/lib/limiter/counter-key';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Length of the prefix by which IPv6 addresses are counted. */
const SUBNET = 64;

/** Finds the subject that counts an address, or an IPv6 range within one /64. Null for wider ranges. */
export function findRangeSubject(range: AddressRange): string | null {
  const { first, length } = range;
  return length >= (first.family === 6 ? SUBNET : countBits(first)) ? formatAddressSubject(first) : null;
}

/**
 * Selects the counters of a caller, in one class or in all.
 * A range selects the counters of all its addresses. An IPv6 address selects those of its /64.
 * @param identifier canonical; a range selects from at most a million counters
 * @param limitId id of the only named limit; of all by default
 */
export async function selectCounters(
  store: CounterStore,
  type: CallerType,
  identifier: string,
  endpointClass: EndpointClass | undefined,
  limitId?: string,
): Promise<CounterSelection> {
  if (type === 'subject') return { prefix: buildCounterPrefix('limit', identifier, limitId) };
  if (type === 'user_id') return { prefix: buildCounterPrefix('user', identifier, endpointClass) };
  if (type === 'api_key' || type === 'client_id') return { prefix: buildCounterPrefix('client', identifier) };
  const range = parseRange(identifier);
  if (range === null) return { keys: [] };
  const subject = findRangeSubject(range);
  if (subject !== null) return { prefix: buildCounterPrefix('ip', subject, endpointClass) };
  const { text, exact } = findCommonPrefix(range);
  if (exact && endpointClass === undefined) return { prefix: `ip|${text}` };
  const keys = await store.listKeys(`ip|${text}`, 1_000_000);
  return { keys: keys.filter((key) => isCounterInRange(key, range, endpointClass)) };
}

/** Finds a named limit. Undefined if no name is given. @throws ApiError invalid_request if there is no such limit */
export async function findLimit(
  rules: Pick<RulesCache, 'readFresh'>,
  name: string | undefined,
): Promise<NamedLimitRecord | undefined> {
  if (name === undefined) return undefined;
  const limit = (await rules.readFresh()).limits.get(name);
  if (limit === undefined) throw createInvalidField('limit_name', 'must name a limit');
  return limit;
}

/** Finds the text with which all addresses of a range start. `exact` is true if no other address starts with it. */
export function findCommonPrefix({ first, length }: AddressRange): { text: string; exact: boolean } {
  if (first.family === 4) {
    const octets = first.text.split('.').slice(0, Math.floor(length / 8));
    return { text: octets.map((octet) => `${octet}.`).join(''), exact: octets.length > 0 && length % 8 === 0 };
  }
  // RFC 5952 shortens zeros, so only the groups before the first zero have the same text in every address.
  const groups = [first.w0 >>> 16, first.w0 & 0xffff, first.w1 >>> 16, first.w1 & 0xffff];
  const shared = groups.slice(0, Math.floor(length / 16));
  const written = shared.slice(0, [...shared, 0].indexOf(0));
  return { text: written.map((group) => `${group.toString(16)}:`).join(''), exact: false };
}

function isCounterInRange(key: string, range: AddressRange, endpointClass: EndpointClass | undefined): boolean {
  const [, id = '', scope] = key.split('|');
  if (endpointClass !== undefined && scope !== endpointClass) return false;
  const counted = parseRange(id);
  return counted !== null && isWithin(counted.first, range);
}
