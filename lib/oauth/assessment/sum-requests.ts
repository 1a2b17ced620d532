/** Requests of the set-up check. */
const SET_UP = 15;

/** A control with its approximate number of requests if it can be decided. */
interface EstimatedControl {
  readonly needs: readonly string[];
  readonly requests: number;
}

/**
 * Estimates the requests of an assessment, rounded to tens. A control that lacks only a login sends one request to find
 * that out.
 * @param given the needs that the target meets
 */
export function sumRequests(controls: readonly EstimatedControl[], given: ReadonlySet<string>): number {
  const sent = controls.map(({ needs, requests }) => {
    const missing = needs.filter((need) => !given.has(need));
    return missing.length === 0 ? requests : missing.every((need) => need === 'login') ? 1 : 0;
  });
  return Math.round(sent.reduce((sum, one) => sum + one, SET_UP) / 10) * 10;
}
