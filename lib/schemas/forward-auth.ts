import { z } from 'zod';

const HEADER_NAME = /^[A-Za-z0-9-]{1,64}$/;
/** Headers that clients send for other ends. */
const NO_USER = new Set(['authorization', 'cookie', 'x-admin-token', 'x-api-key', 'x-forwarded-for']);

/** How a reverse proxy wants to be answered, and what it lets Sluice believe. Written in the proxy's configuration. */
export const ForwardAuthQuery = z
  .strictObject({
    proxy: z
      .enum(['nginx'])
      .optional()
      .describe('`nginx`: a refusal is 403, with its status in `X-RL-Status` and its body in `X-RL-Body`.'),
    user_header: z
      .string()
      .regex(HEADER_NAME, 'must be the name of a header')
      .refine((name) => !NO_USER.has(name.toLowerCase()), 'cannot be this header')
      .optional()
      .describe(
        'The header in which the proxy names the user whom it has verified. Without it no header names a user. ' +
          'The proxy must set or remove that header itself on every request.',
      )
      .meta({ example: 'X-Auth-Request-User' }),
  })
  .meta({ id: 'ForwardAuthQuery' });

export type ForwardAuthQuery = z.infer<typeof ForwardAuthQuery>;
