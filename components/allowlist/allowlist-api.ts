import { callApi } from '@/components/api-client';
import type { Target } from '@/components/identifier/target';
import { AllowlistAddedSchema, type AllowlistEntry, AllowlistEntrySchema } from '@/lib/schemas/allowlist';

const PATH = '/v1/admin/rate-limit/allowlist';

export const allowlistKey = ['allowlist'] as const;

export async function listAllowlist(signal: AbortSignal): Promise<AllowlistEntry[]> {
  return (await callApi(PATH, { schema: AllowlistEntrySchema.array(), signal })).value;
}

/** Adds an entry, or replaces reason and expiry of the one that exists. */
export async function addToAllowlist(entry: Target & { reason: string; expires_at: string | null }) {
  return (await callApi(PATH, { method: 'POST', body: entry, schema: AllowlistAddedSchema })).value;
}

export async function removeFromAllowlist({ type, identifier }: Target): Promise<void> {
  await callApi(PATH, { method: 'DELETE', body: { type, identifier } });
}
