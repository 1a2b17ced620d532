import type { ClientType, QuotaTier } from '@/lib/contract/fields/enumerations';
import type { Limit, Policies } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

/** A limit of the policies that a change touches. */
export type ChangedLimit =
  | { subject: 'ip' | 'user'; path: string; class: EndpointClass; before: Limit; after: Limit }
  | { subject: 'client'; path: string; clientType: ClientType; before: Limit; after: Limit }
  | { subject: 'quota'; path: string; tier: QuotaTier; before: number; after: number };

/** What differs between two policies: the limits, and the names of everything else. */
export function changedLimits(before: Policies, after: Policies): { limits: ChangedLimit[]; others: string[] } {
  const limits: ChangedLimit[] = [];
  const others: string[] = [];
  for (const name of ENDPOINT_CLASSES) {
    for (const subject of ['ip', 'user'] as const) {
      const pair = { before: before.classes[name][subject], after: after.classes[name][subject] };
      if (differ(pair)) limits.push({ subject, path: `classes.${name}.${subject}`, class: name, ...pair });
    }
    if (before.classes[name].on_store_failure !== after.classes[name].on_store_failure) {
      others.push(`classes.${name}.on_store_failure`);
    }
  }
  for (const clientType of ['public', 'confidential'] as const) {
    const pair = { before: before.clients[clientType], after: after.clients[clientType] };
    if (differ(pair)) limits.push({ subject: 'client', path: `clients.${clientType}`, clientType, ...pair });
  }
  for (const tier of ['free', 'starter', 'business', 'enterprise'] as const) {
    const pair = { before: before.tiers[tier], after: after.tiers[tier] };
    if (pair.before !== pair.after) limits.push({ subject: 'quota', path: `tiers.${tier}`, tier, ...pair });
  }
  if (differ({ before: before.global, after: after.global })) others.push('global');
  return { limits, others };
}

function differ({ before, after }: { before: Limit; after: Limit }): boolean {
  return before.limit !== after.limit || before.window_seconds !== after.window_seconds;
}
