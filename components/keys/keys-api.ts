import type { z } from 'zod';
import { callApi } from '@/components/api-client';
import type { QuotaTier } from '@/lib/contract/fields/enumerations';
import {
  type ApiKeyPatch,
  type ApiKeyWithUsage,
  ApiKeyWithUsageSchema,
  CreatedApiKeySchema,
  type NewApiKey,
  RotatedApiKeySchema,
} from '@/lib/contract/keys';
import { QuotaUsageSchema } from '@/lib/contract/quota';

export const KEYS_PATH = '/v1/admin/api-keys';
const QUOTA = '/v1/admin/rate-limit/quota';

export const keysKey = ['api-keys'] as const;

export async function readKey(id: string, signal: AbortSignal): Promise<ApiKeyWithUsage> {
  return (await callApi(`${KEYS_PATH}/${encodeURIComponent(id)}`, { schema: ApiKeyWithUsageSchema, signal })).value;
}

/** A key and the ETag by which it can be edited. */
export async function readKeyWithTag(id: string, signal: AbortSignal) {
  const path = `${KEYS_PATH}/${encodeURIComponent(id)}`;
  const { value, etag } = await callApi(path, { schema: ApiKeyWithUsageSchema, signal });
  return { key: value, etag };
}

/** Edits a key; what is absent stays. @throws ApiError 412 when it is not the version of `etag` any more */
export async function updateKey(id: string, changed: z.input<typeof ApiKeyPatch>, etag: string | null): Promise<void> {
  await callApi(`${KEYS_PATH}/${encodeURIComponent(id)}`, { method: 'PATCH', body: changed, ifMatch: etag });
}

/** A quota and the ETag by which its tier can be changed. */
export async function readQuota(id: string, signal: AbortSignal) {
  const { value, etag } = await callApi(`${QUOTA}/${encodeURIComponent(id)}`, { schema: QuotaUsageSchema, signal });
  return { usage: value, etag };
}

/** Makes a key. The secret is in this answer and nowhere else. */
export async function createKey(key: z.input<typeof NewApiKey>) {
  return (await callApi(KEYS_PATH, { method: 'POST', body: key, schema: CreatedApiKeySchema })).value;
}

/** Gives a key a new secret; the old one works for `graceSeconds` more. */
export async function rotateKey(id: string, graceSeconds: number) {
  return (
    await callApi(`${KEYS_PATH}/${encodeURIComponent(id)}/rotate`, {
      method: 'POST',
      body: { grace_seconds: graceSeconds },
      schema: RotatedApiKeySchema,
    })
  ).value;
}

export async function revokeKey(id: string): Promise<void> {
  await callApi(`${KEYS_PATH}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

export async function changeTier(id: string, tier: QuotaTier, etag: string | null): Promise<void> {
  await callApi(`${QUOTA}/${encodeURIComponent(id)}/tier`, { method: 'PUT', body: { tier }, ifMatch: etag });
}

export async function resetQuota(id: string, reason: string): Promise<void> {
  await callApi(`${QUOTA}/${encodeURIComponent(id)}/reset`, { method: 'POST', body: reason === '' ? {} : { reason } });
}
