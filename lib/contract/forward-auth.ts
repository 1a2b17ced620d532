import { z } from 'zod';

/** How a reverse proxy wants to be answered. Other parameters are passed over: some proxies append their client's query. */
export const ForwardAuthQuery = z
  .object({
    proxy: z
      .enum(['nginx'])
      .optional()
      .describe('`nginx`: a refusal is 403, with its status in `X-RL-Status` and its body in `X-RL-Body`.'),
  })
  .meta({ id: 'ForwardAuthQuery' });
