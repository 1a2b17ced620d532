import type { Probe } from '@/lib/oauth/assessment/probe';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';

/** How bad a missing control is, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Where in the flow a control belongs: the name of its file or folder beside this one. */
export const AREAS = ['authorization', 'code', 'token', 'resource', 'transport'] as const;
type Area = (typeof AREAS)[number];

/** A control without its code. */
export interface ControlDescription {
  id: string;
  title: string;
  severity: Severity;
  area: Area;
  /** Sections of specifications, such as `RFC 9700 2.1`. */
  source: readonly string[];
  /** The corresponding OAuch test, where there is one. */
  oauch?: string;
  /** The lab can switch it off. */
  switchable: boolean;
  /** The attack it prevents, in a sentence. */
  protectsFrom: string;
}

/** A control as its file writes it: what is sent, and what must be seen. */
interface ControlDefinition<Seen> extends ControlDescription {
  /** Exchanges requests with the target and returns what was seen. @throws CannotProbe */
  probe(probe: Probe): Promise<Seen>;
  /** Pure. */
  rule(seen: Seen): ControlVerdict;
}

/** A control as the engine uses it. */
export interface Control extends ControlDescription {
  /** @throws CannotProbe */
  evaluate(probe: Probe): Promise<ControlVerdict>;
}

export function defineControl<Seen>(definition: ControlDefinition<Seen>): Control {
  const { probe: observe, rule, ...description } = definition;
  return { ...description, evaluate: async (probe) => rule(await observe(probe)) };
}
