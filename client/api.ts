import type { z } from 'zod';
import type { CheckSchema } from '@/lib/contract/check';
import type { SettleSchema } from '@/lib/contract/settle';

/* Types of the API. The published package replaces this file with generated types (lib/openapi/client-types.ts), so
   that its declarations need neither zod nor the contracts. */
type CheckInput = z.input<typeof CheckSchema>;
type SettlementInput = z.input<typeof SettleSchema>;

export type { CheckResult } from '@/lib/contract/check';
export type { LimitWindow } from '@/lib/contract/fields/named-limit';
export type { Limit } from '@/lib/contract/policies';
export type { RouteRule } from '@/lib/contract/route-rules';
export type { EndpointClass } from '@/lib/limiter/meter';
export type { CheckInput as Check, SettlementInput as Settlement };
