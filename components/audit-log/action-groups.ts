/** Action groups of the filter. The API filters by `value`. */
export const ACTION_GROUPS = [
  { value: 'policies,limit,candidate,candidate_rules,route_rules', label: 'Limits and route rules' },
  { value: 'incident', label: 'Incidents' },
  { value: 'override', label: 'Overrides' },
  { value: 'allowlist', label: 'Allowlist' },
  { value: 'counters', label: 'Counters' },
  { value: 'api_key', label: 'API keys' },
  { value: 'quota,grant', label: 'Quotas, tiers and grants' },
  { value: 'alerts,alert,webhook', label: 'Alerts and webhooks' },
  { value: 'state', label: 'State documents' },
  { value: 'member,sign_in', label: 'Members' },
  { value: 'token', label: 'Admin tokens' },
  { value: 'assessment,finding,oauth_request', label: 'OAuth' },
  { value: 'counter_store,database', label: 'Counter store and backups' },
] as const;
