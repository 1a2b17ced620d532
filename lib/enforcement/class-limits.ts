import type { ClientType } from '@/lib/contract/fields/enumerations';
import type { Limit, Policies } from '@/lib/contract/policies';
import { type IncidentRecord, scaleLimit } from '@/lib/enforcement/incident';
import type { Origin, PlannedMeter } from '@/lib/enforcement/planned-meter';
import type { KeyRecord, OverrideRecord, Rules } from '@/lib/enforcement/rules';
import { type Address, formatSubjectOrUnknown } from '@/lib/limiter/address';
import { buildCounterKey, type CounterScope } from '@/lib/limiter/counter-key';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

/** Facts of a request that its class limits. */
interface ClassFacts {
  readonly address: Address | null | undefined;
  readonly client?: { readonly id: string; readonly type: ClientType };
}

/** Shared limits. They are built once, because each decision names several. */
const CLASSES = Object.fromEntries(
  ENDPOINT_CLASSES.map((name) => [name, { ip: createPolicy(`${name}.ip`), user: createPolicy(`${name}.user`) }]),
) as Readonly<Record<EndpointClass, { ip: Origin; user: Origin }>>;
const CLIENTS: Readonly<Record<ClientType, Origin>> = {
  public: { kind: 'client', id: 'public', place: 'clients.public' },
  confidential: { kind: 'client', id: 'confidential', place: 'clients.confidential' },
};

function createPolicy(place: string): Origin {
  return { kind: 'policy', id: null, place: `classes.${place}` };
}

/** A limit and its source. */
interface FoundLimit {
  readonly limit: Limit;
  readonly origin: Origin;
}

/** Builds the meters of a request in this class: address, client and user. */
export function buildClassMeters(
  rules: Rules,
  facts: ClassFacts,
  { key, userId, incident }: { key: KeyRecord | null; userId: string | null; incident: IncidentRecord | null },
  endpointClass: EndpointClass,
  now: Millis,
): readonly PlannedMeter[] {
  const meters: PlannedMeter[] = [];
  const policy = rules.policies.classes[endpointClass];
  const add = (
    subject: 'ip' | 'client' | 'user',
    identifier: string,
    { limit, origin }: FoundLimit,
    scope: CounterScope,
    counted: string = identifier,
  ) => {
    const window = { kind: 'sliding', seconds: limit.window_seconds } as const;
    const inForce = incident?.mode === 'factor' ? scaleLimit(limit.limit, incident.factor) : limit.limit;
    const key = buildCounterKey(subject, counted, scope, window);
    const meter: PlannedMeter = { subject, key, limit: inForce, window, identifier, origin };
    if (policy.lease !== null && scope === endpointClass) meter.lease = policy.lease;
    meters.push(meter);
  };
  if (facts.address !== undefined) {
    const { address } = facts;
    const override = address === null ? undefined : rules.findAddressOverride(address, endpointClass, now);
    const counted = formatSubjectOrUnknown(address);
    const found = applyOverride(override, { limit: policy.ip, origin: CLASSES[endpointClass].ip });
    add('ip', address?.text ?? counted, found, endpointClass, counted);
  }
  const client = key === null ? facts.client : { id: key.id, type: key.clientType };
  if (client !== undefined) add('client', client.id, findClientLimit(rules.policies, client.type, key), 'all');
  if (userId !== null) {
    const override = rules.findUserOverride(userId, endpointClass, now);
    const found = applyOverride(override, { limit: policy.user, origin: CLASSES[endpointClass].user });
    add('user', userId, found, endpointClass);
  }
  return meters;
}

/** Returns the limit of a client: that of its tier if the tier has one, or else that of its type. */
export function findClientLimit(
  { clients, tier_rates: rates }: Policies,
  type: ClientType,
  key: Pick<KeyRecord, 'tier'> | null,
): FoundLimit {
  const rate = key === null ? null : rates[key.tier];
  if (key === null || rate === null) return { limit: clients[type], origin: CLIENTS[type] };
  const origin: Origin = { kind: 'tier', id: key.tier, place: `tier_rates.${key.tier}` };
  return { limit: { limit: rate, window_seconds: 60 }, origin };
}

/** Returns the limit of an override if there is one, or else the shared limit. */
function applyOverride(override: OverrideRecord | undefined, shared: FoundLimit): FoundLimit {
  if (override === undefined) return shared;
  const { id, limit, windowSeconds, isRange } = override;
  const origin: Origin = { kind: 'override', id, place: shared.origin.place, isRange };
  return { limit: { limit, window_seconds: windowSeconds }, origin };
}
