import { z } from 'zod';

/** The account that signs in with a provider. `issuer` and `subject` together are stable and never reassigned. */
export const ProviderAccount = z.object({
  issuer: z.string().min(1),
  subject: z.string().min(1),
  name: z.string().optional(),
  email: z.string().optional(),
  emailVerified: z.boolean(),
});

export type ProviderAccount = z.infer<typeof ProviderAccount>;
