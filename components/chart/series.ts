export interface Series {
  key: string;
  name: string;
  /** CSS colour, usually a theme variable. */
  color: string;
}

export interface ChartPoint {
  /** Start of the step, in milliseconds. */
  at: number;
  values: Readonly<Record<string, number>>;
}

/** Counts refusals for any reason. */
export const REFUSED_SERIES: Series = { key: 'refused', name: 'Refused', color: 'var(--color-chart-ip)' };

/** Outcomes and refusal reasons, always in the same order and colours. */
export const OUTCOME_SERIES: readonly Series[] = [
  { key: 'allowed', name: 'Allowed', color: 'var(--color-chart-allowed)' },
  { key: 'bypassed', name: 'Bypassed', color: 'var(--color-chart-bypassed)' },
  { key: 'degraded', name: 'Degraded', color: 'var(--color-chart-degraded)' },
  { key: 'observed', name: 'Observed', color: 'var(--color-chart-observed)' },
  { key: 'rate_limit_exceeded', name: 'Refused: address', color: 'var(--color-chart-ip)' },
  { key: 'limit_refusals', name: 'Refused: named limit', color: 'var(--color-chart-limit)' },
  { key: 'user_rate_limit_exceeded', name: 'Refused: user', color: 'var(--color-chart-user)' },
  { key: 'client_rate_limit_exceeded', name: 'Refused: client', color: 'var(--color-chart-client)' },
  { key: 'quota_exceeded', name: 'Refused: quota', color: 'var(--color-chart-quota)' },
  { key: 'invalid_api_key', name: 'Refused: unknown key', color: 'var(--color-chart-key)' },
  { key: 'service_unavailable', name: 'Refused: unavailable', color: 'var(--color-chart-unavailable)' },
];

/** Returns the refusals of a point by series. Named limits share the error code of addresses. */
export function countRefusals(point: { reasons: Readonly<Record<string, number>>; limit_refusals: number }) {
  const { rate_limit_exceeded: all = 0, ...reasons } = point.reasons;
  return { ...reasons, rate_limit_exceeded: all - point.limit_refusals, limit_refusals: point.limit_refusals };
}
