import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { IdentifierType } from '@/lib/contract/fields/enumerations';
import type { Override } from '@/lib/contract/overrides';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Fields that identify an override. */
export type OverrideName = Pick<Override, 'type' | 'identifier' | 'class' | 'limit_name'>;

export type ClassOverride = Override & { type: IdentifierType; class: EndpointClass };

/** Returns whether an override is for a class, and not for a named limit. */
export const isOfClass = (override: Override): override is ClassOverride => override.class !== null;

/** Names the limit that an override replaces: a class, or a named limit. */
export function nameLimit({ class: name, limit_name: limitName = '' }: Pick<OverrideName, 'class' | 'limit_name'>) {
  return name === null ? limitName : CLASS_NAMES[name];
}

/** Builds the part of a request that identifies an override. */
export function buildOverrideTarget({ type, identifier, class: name, limit_name }: OverrideName) {
  return { type, identifier, ...(name === null ? { limit_name } : { class: name }) };
}

/** Names an override as a state document does. */
export function identifyOverride({ type, identifier, class: name, limit_name }: OverrideName) {
  return { kind: 'overrides', id: `${type} ${identifier} ${name ?? limit_name}` } as const;
}
