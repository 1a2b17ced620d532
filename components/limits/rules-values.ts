import { z } from 'zod';
import { RouteRulesSchema } from '@/lib/contract/route-rules';

export const RulesForm = z.object({ rules: RouteRulesSchema });

/** The route rules as the form holds them. */
export type RulesValues = z.input<typeof RulesForm>;

export const routeRulesKey = ['route-rules'] as const;
