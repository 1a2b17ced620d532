import type { Probe } from '@/lib/oauth/assessment/probe';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import { REMEDIES } from '@/lib/oauth/controls/remedies';
import type { Remedy } from '@/lib/oauth/controls/remedy';

/** How bad a missing control is, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Where in the flow a control belongs: the name of its file or folder beside this one. */
export const AREAS = ['authorization', 'code', 'token', 'resource', 'transport'] as const;
export type Area = (typeof AREAS)[number];

/**
 * What probing a control may cost, the cheapest first: an assessment goes in this order. `harmless` ends nothing;
 * `waits` watches codes and tokens expire; `ends-grant` may make the server revoke what the person agreed to.
 */
export const COSTS = ['harmless', 'waits', 'ends-grant'] as const;
type Cost = (typeof COSTS)[number];

/**
 * What a person may give besides the issuer. `login`: somebody signs in, or the cookie of one who has; `server key`: the
 * target can be made to sign any token, as the lab can; `patience`: waiting until codes and tokens expire.
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
  /** What is right where it is kept. */
  title: string;
  /** What is wrong where it fails. */
  wrong: string;
  severity: Severity;
  area: Area;
  /** Sections of specifications, such as `RFC 9700 2.1`. */
  source: readonly string[];
  /** The corresponding OAuch test, where there is one. */
  oauch?: string;
  /** The lab can switch it off. */
  switchable: boolean;
  /** What has to be given for it to be decided; empty where the issuer alone is enough. */
  needs: readonly Need[];
  cost: Cost;
  /** The attack it prevents, in a sentence. */
  protectsFrom: string;
  /** What to change where it is missing. */
  remedy: Remedy;
}

/** A control's description as its file writes it. */
export type ControlDraft = Omit<ControlDescription, 'remedy' | 'cost'> & { cost?: Cost };

/** A control as its file writes it: what is sent, and what must be seen. */
type ControlDefinition<Seen> = ControlDraft & {
  /** Exchanges requests with the target and returns what was seen. @throws CannotProbe */
  probe(probe: Probe): Promise<Seen>;
  /** Pure. */
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
