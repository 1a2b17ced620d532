/** Something that a client must check of an answer, and what came of it. */
export interface ClientCheck {
  name: string;
  outcome: 'passed' | 'failed' | 'not_checked';
  text: string;
  /** Where it is required, such as `RFC 9207 2.4`. */
  source: string;
}

/** A check that passes or fails. */
export function check(name: string, source: string, holds: boolean, passed: string, failed: string): ClientCheck {
  return { name, source, outcome: holds ? 'passed' : 'failed', text: holds ? passed : failed };
}

/** A check for which something is missing. */
export function notChecked(name: string, source: string, text: string): ClientCheck {
  return { name, source, outcome: 'not_checked', text };
}
