/** Names the reasons of refusals, for a filter. */
export const REASON_NAMES: Readonly<Record<string, string>> = {
  rate_limit_exceeded: 'Address or named limit',
  user_rate_limit_exceeded: 'User limit',
  client_rate_limit_exceeded: 'Client limit',
  quota_exceeded: 'Quota',
  service_unavailable: 'Unavailable',
  invalid_api_key: 'Invalid key',
};

/** Names the reason of a refusal: `Address limit`, or `Limit sms`. Null if there is none. */
export function nameReason(reason: string | null | undefined, limitName?: string | null): string | null {
  if (reason == null) return null;
  if (reason !== 'rate_limit_exceeded') return REASON_NAMES[reason] ?? reason;
  return limitName == null ? 'Address limit' : `Limit ${limitName}`;
}
