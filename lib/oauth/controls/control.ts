import type { Probe } from '@/lib/oauth/assessment/probe';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';

/** How bad it is when a control is missing, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Where in the flow a control belongs. */
export type Area = 'authorization' | 'code' | 'token' | 'resource' | 'transport';

/** What a control is, in words. */
export interface ControlDescription {
  id: string;
  title: string;
  severity: Severity;
  area: Area;
  /** Sections of specifications, such as `RFC 9700 2.1`. */
  source: readonly string[];
  /** The test of OAuch that looks at the same thing, where there is one. */
  oauch?: string;
  /** The lab can leave it out. */
  switchable: boolean;
  /** What it protects from, in a sentence. */
  protectsFrom: string;
}

/** A control as its file writes it: what is sent, and what must be seen. */
export interface ControlDefinition<Seen> extends ControlDescription {
  /** Has exchanges with the target and says what was seen. @throws CannotProbe */
  probe(probe: Probe): Promise<Seen>;
  /** Reads what was seen. Pure. */
  rule(seen: Seen): ControlVerdict;
}

/** A control as the engine uses it. */
export interface Control extends ControlDescription {
  /** Probes and judges. @throws CannotProbe */
  evaluate(probe: Probe): Promise<ControlVerdict>;
}

/** Makes a control of its definition. */
export function defineControl<Seen>(definition: ControlDefinition<Seen>): Control {
  const { probe: look, rule, ...description } = definition;
  return { ...description, evaluate: async (probe) => rule(await look(probe)) };
}
