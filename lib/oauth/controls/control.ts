import type { Probe } from '@/lib/oauth/assessment/probe';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import { REMEDIES } from '@/lib/oauth/controls/remedies';
import type { Remedy } from '@/lib/oauth/controls/remedy';

/** Severity of a missing control, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Area of a control in the flow. It is also the name of the file or folder that defines the control. */
export const AREAS = ['authorization', 'code', 'token', 'resource', 'transport'] as const;
export type Area = (typeof AREAS)[number];

/**
 * Cost of probing a control, the cheapest first. An assessment follows this order. `harmless` ends nothing. `waits`
 * waits until codes and tokens expire. `ends-grant` may cause the server to revoke the user's grant.
 */
export const COSTS = ['harmless', 'waits', 'ends-grant'] as const;
type Cost = (typeof COSTS)[number];

/**
 * Inputs that a person may give in addition to the issuer. `login`: a person signs in, or gives a session cookie.
 * `server key`: the target can sign any token, like the lab. `patience`: time to wait until codes and tokens expire.
 */
const NEEDS = [
  'client',
  'login',
  'second client',
  'confidential client',
  'client with a key',
  'native client',
  'several redirect URIs',
  'resource',
  'resource scope',
  'server key',
  'patience',
] as const;
export type Need = (typeof NEEDS)[number];

/** A control without its code. */
export interface ControlDescription {
  id: string;
  /** Correct behaviour of a server, shown as the title. */
  title: string;
  /** Wrong behaviour of a server that fails the control. */
  wrong: string;
  severity: Severity;
  area: Area;
  /** Sections of specifications, such as `RFC 9700 2.1`. */
  source: readonly string[];
  /** The corresponding OAuch test, if there is one. */
  oauch?: string;
  /** Whether the lab can switch it off. */
  switchable: boolean;
  /** Inputs needed to decide it. Empty if the issuer is enough. */
  needs: readonly Need[];
  cost: Cost;
  /** The attack it prevents, in one sentence. */
  protectsFrom: string;
  /** How to fix a server that fails it. */
  remedy: Remedy;
}

/** Description of a control as its file defines it. */
export type ControlDraft = Omit<ControlDescription, 'remedy' | 'cost'> & { cost?: Cost };

/** A control as its file defines it: what to send, and what to expect. */
type ControlDefinition<Seen> = ControlDraft & {
  /** Exchanges requests with the target and returns the observations. @throws CannotProbe */
  probe(probe: Probe): Promise<Seen>;
  /** Judges the observations. Pure function. */
  rule(seen: Seen): ControlVerdict;
};

/** A control as an assessment uses it. */
export interface Control extends ControlDescription {
  /** @throws CannotProbe */
  evaluate(probe: Probe): Promise<ControlVerdict>;
}

export function defineControl<Seen>(definition: ControlDefinition<Seen>): Control {
  const { probe: observe, rule, cost = 'harmless', ...description } = definition;
  const remedy = REMEDIES[description.id];
  if (remedy === undefined) throw new TypeError(`The control ${description.id} has no remedy.`);
  return { ...description, remedy, cost, evaluate: async (probe) => rule(await observe(probe)) };
}
