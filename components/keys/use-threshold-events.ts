'use client';

import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { callApi } from '@/components/api-client';
import { AuditRecordSchema } from '@/lib/contract/audit-log';

const SCHEMA = AuditRecordSchema.array();
const After = z.object({ threshold_percent: z.number() });

/** When a key reached a share of its quota. */
export interface ThresholdEvent {
  apiKeyId: string;
  percent: number;
  at: string;
}

/** Thresholds that keys reached in the running month (UTC), newest first; of one key or of the latest hundred. */
export function useThresholdEvents(apiKeyId?: string) {
  return useQuery({
    queryKey: ['audit', 'thresholds', apiKeyId ?? ''],
    queryFn: async ({ signal }): Promise<ThresholdEvent[]> => {
      const now = new Date();
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();
      const query = { action: 'quota.threshold', target: apiKeyId, from, limit: 100 };
      const { value } = await callApi('/v1/admin/audit', { query, schema: SCHEMA, signal });
      return value.flatMap(({ target, after, at }) => {
        const parsed = After.safeParse(after);
        return parsed.success ? [{ apiKeyId: target, percent: parsed.data.threshold_percent, at }] : [];
      });
    },
    refetchInterval: 30_000,
  });
}
