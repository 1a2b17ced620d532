import { z } from 'zod';

/** Who a provider says is signing in. `issuer` and `subject` together never change and are never given to another. */
export const ProviderAccount = z.object({
  issuer: z.string().min(1),
  subject: z.string().min(1),
  name: z.string().optional(),
  email: z.string().optional(),
  emailVerified: z.boolean(),
});

export type ProviderAccount = z.infer<typeof ProviderAccount>;
