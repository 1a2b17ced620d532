/** Result of one check that a client makes on an answer. */
export interface ClientCheck {
  name: string;
  outcome: 'passed' | 'failed' | 'not_checked';
  text: string;
  /** Specification that requires it, such as `RFC 9207 2.4`. */
  source: string;
}

/** Creates a check that passed or failed. */
export function check(name: string, source: string, holds: boolean, passed: string, failed: string): ClientCheck {
  return { name, source, outcome: holds ? 'passed' : 'failed', text: holds ? passed : failed };
}

/** Creates a check that could not be made, because a value is missing. */
export function createUnchecked(name: string, source: string, text: string): ClientCheck {
  return { name, source, outcome: 'not_checked', text };
}
