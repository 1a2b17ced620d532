import { callApi } from '@/components/api-client';
import type { Target } from '@/components/identifier/target';
import type { EndpointClass } from '@/lib/limiter/meter';

export const OVERRIDES_PATH = '/v1/admin/rate-limit/overrides';

export const overridesKey = ['overrides'] as const;

export interface OverrideInput extends Target {
  class: EndpointClass;
  limit: number;
  window_seconds: number;
  reason: string;
  expires_at: string | null;
}

/** Makes an own limit, or replaces the one of the same identifier and class. */
export async function putOverride(override: OverrideInput): Promise<void> {
  await callApi(OVERRIDES_PATH, { method: 'PUT', body: override });
}

export async function deleteOverride({
  type,
  identifier,
  class: name,
}: Target & { class: EndpointClass }): Promise<void> {
  await callApi(OVERRIDES_PATH, { method: 'DELETE', body: { type, identifier, class: name } });
}
