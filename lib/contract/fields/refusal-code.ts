import { z } from 'zod';

/** The error codes of refusals. */
export const RefusalCodeSchema = z
  .enum([
    'rate_limit_exceeded',
    'client_rate_limit_exceeded',
    'user_rate_limit_exceeded',
    'quota_exceeded',
    'invalid_api_key',
    'service_unavailable',
  ])
  .meta({ id: 'RefusalCode' });

export type RefusalCode = z.infer<typeof RefusalCodeSchema>;
