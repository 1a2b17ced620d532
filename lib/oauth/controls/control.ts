import type { Probe } from '@/lib/oauth/assessment/probe';
import type { ControlVerdict } from '@/lib/oauth/assessment/verdict';
import { isControlSwitch } from '@/lib/oauth/lab/controls';

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
  switchable: boolean;
  /** The attack it prevents, in a sentence. */
  protectsFrom: string;
}

/** What a control is declared with beside its id, severity and title; the corresponding OAuch test is one of its sources. */
export type ControlText = Pick<ControlDescription, 'source' | 'protectsFrom'>;

/** A control as the engine uses it. */
export interface Control extends ControlDescription {
  /** @throws CannotProbe */
  evaluate(probe: Probe): Promise<ControlVerdict>;
}

type DeclaredControl = Omit<Control, 'area' | 'oauch' | 'switchable'>;

/** A control: what is sent, and what must be seen. */
export function defineControl<Seen>(
  id: string,
  severity: Severity,
  title: string,
  {
    probe: observe,
    rule,
    ...text
  }: ControlText & {
    /** Exchanges requests with the target and returns what was seen. @throws CannotProbe */
    probe(probe: Probe): Promise<Seen>;
    /** Pure. */
    rule(seen: Seen): ControlVerdict;
  },
): DeclaredControl {
  return { id, severity, title, ...text, evaluate: async (probe) => rule(await observe(probe)) };
}

export function controlsIn(area: Area, controls: readonly DeclaredControl[]): readonly Control[] {
  return controls.map((control) => {
    const [oauch] = control.source.flatMap((source) => /^OAuch (.*)/.exec(source)?.[1] ?? []);
    const source = control.source.filter((section) => !section.startsWith('OAuch '));
    return {
      ...control,
      source,
      area,
      switchable: isControlSwitch(control.id),
      ...(oauch === undefined ? {} : { oauch }),
    };
  });
}
