/** Time as an argument, so that tests can supply their own. */
export interface Clock {
  /** Current time, in milliseconds since 1970. */
  now(): number;
  /** Runs `action` after `milliseconds`. Returns a function that cancels it. */
  after(milliseconds: number, action: () => void): () => void;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};
