import type { Observe } from '@/lib/oauth/report/profiles/observations';

/** One requirement of a profile. Exactly one of `controls`, `observe` and `unjudged` decides it. */
export interface Clause {
  /** Section and number, such as `FAPI 2.0 Security Profile 5.3.2.1 (4)`. */
  source: string;
  requirement: string;
  /** Ids of the controls that decide it. All that apply must pass. */
  controls: readonly string[];
  /** Judges what was observed about the server. */
  observe?: Observe;
  /** Why it is not judged. */
  unjudged?: string;
}

/** A profile of OAuth or OpenID Connect: a published list of requirements. */
export interface Profile {
  id: string;
  title: string;
  /** Name of the document that defines it, as in `sources.ts`. */
  document: string;
  clauses: readonly Clause[];
}

/** Creates the functions that define clauses of one document. `controls` are ids, separated by spaces. */
export function createClauseDefiners(document: string) {
  const define = (section: string, requirement: string, rest: Partial<Clause>): Clause => ({
    ...{ source: `${document} ${section}`, requirement, controls: [] },
    ...rest,
  });
  return {
    /** Every control that applies must pass. */
    requirePassed: (section: string, requirement: string, controls: string) =>
      define(section, requirement, { controls: controls.split(' ') }),
    /** Decided by an observation of the server. */
    observe: (section: string, requirement: string, observe: Observe) => define(section, requirement, { observe }),
    /** Nothing decides it from outside, for the given reason. */
    leaveUnjudged: (section: string, requirement: string, unjudged: string) =>
      define(section, requirement, { unjudged }),
  };
}
