import { callApi } from '@/components/api-client';
import type { Target } from '@/components/identifier/target';
import { AllowlistAddedSchema } from '@/lib/contract/allowlist';

export const ALLOWLIST_PATH = '/v1/admin/rate-limit/allowlist';

export const allowlistKey = ['allowlist'] as const;

/** Adds an entry, or replaces reason and expiry of the one that exists. */
export async function addToAllowlist(entry: Target & { reason: string; expires_at: string | null }) {
  return (await callApi(ALLOWLIST_PATH, { method: 'POST', body: entry, schema: AllowlistAddedSchema })).value;
}

export async function removeFromAllowlist({ type, identifier }: Target): Promise<void> {
  await callApi(ALLOWLIST_PATH, { method: 'DELETE', body: { type, identifier } });
}
