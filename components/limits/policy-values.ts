import type { z } from 'zod';
import type { PoliciesSchema } from '@/lib/contract/policies';

/** The policies as the form holds them. */
export type PolicyValues = z.input<typeof PoliciesSchema>;
