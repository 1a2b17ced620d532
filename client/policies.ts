import type { Check, EndpointClass, Limit, LimitWindow } from '@/client/api';

interface ClassPolicy {
  ip: Limit;
  user: Limit;
  /** Substitute that decides checks while the store is down: a refusal, or the local limiter. */
  on_store_failure: 'closed' | 'local';
}

/** Fields of a named limit, as in `GET /v1/admin/limits`, that the client uses. */
export interface LocalLimit {
  name: string;
  windows: readonly LimitWindow[];
  in_flight: { limit: number; lease_seconds: number } | null;
  on_store_failure: 'closed' | 'local';
}

/** Policies that the client uses. */
export interface ClientPolicies {
  /** Named limits by name. */
  limits: ReadonlyMap<string, LocalLimit>;
  classes: Readonly<Record<EndpointClass, ClassPolicy>>;
  clients: Readonly<Record<'public' | 'confidential', Limit>>;
  count_preflights: boolean;
}

/** Policies in the shape of `GET /v1/admin/policies`. Missing parts have the values of a fresh installation. */
export interface LocalPolicies {
  classes?: Readonly<Partial<Record<EndpointClass, Partial<ClassPolicy>>>>;
  clients?: Partial<ClientPolicies['clients']>;
  count_preflights?: boolean;
}

const buildLimit = (limit: number, window_seconds = 60): Limit => ({ limit, window_seconds });

const buildPolicy = (ip: number, user: Limit, on_store_failure: 'closed' | 'local' = 'local'): ClassPolicy => ({
  ip: buildLimit(ip),
  user,
  on_store_failure,
});

/** Policies of a fresh installation. */
export const USUAL_POLICIES: ClientPolicies = {
  limits: new Map(),
  classes: {
    auth: buildPolicy(10, buildLimit(50, 3600), 'closed'),
    sensitive: buildPolicy(30, buildLimit(100, 3600), 'closed'),
    read: buildPolicy(100, buildLimit(5000, 3600)),
    write: buildPolicy(50, buildLimit(1000, 3600)),
    lab: buildPolicy(300, buildLimit(5000, 3600)),
  },
  clients: { public: buildLimit(30), confidential: buildLimit(100) },
  count_preflights: false,
};

/** Fills in the missing parts of policies. */
export function fillPolicies(
  { classes = {}, clients, count_preflights = false }: LocalPolicies = {},
  named: readonly LocalLimit[] = [],
): ClientPolicies {
  const limits = new Map(named.map((limit) => [limit.name, limit]));
  const merged = { ...USUAL_POLICIES.classes };
  for (const name of Object.keys(merged) as EndpointClass[]) merged[name] = { ...merged[name], ...classes[name] };
  return { limits, classes: merged, clients: { ...USUAL_POLICIES.clients, ...clients }, count_preflights };
}

/** True if a check is a CORS preflight that does not count. */
export function isUncounted(check: Check, policies: ClientPolicies): boolean {
  return check.preflight === true && !policies.count_preflights;
}
