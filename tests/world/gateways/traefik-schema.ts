import { z } from 'zod';

/**
 * The part of Traefik's dynamic configuration (v3, file provider) that `docs/gateways/traefik.yml` may use, by its
 * reference. A field that is not here is refused: look it up in the reference before adding it.
 */

const name = z.string().min(1);
const headerName = z.string().regex(/^[A-Za-z0-9-]+$/);

const middleware = z
  .strictObject({
    headers: z.strictObject({ customRequestHeaders: z.record(headerName, z.string()) }),
    forwardAuth: z.strictObject({
      address: z.url(),
      trustForwardHeader: z.boolean(),
      authRequestHeaders: z.array(headerName),
      authResponseHeaders: z.array(headerName),
    }),
  })
  .partial()
  .refine((kinds) => Object.keys(kinds).length === 1, 'a middleware is of one kind');

export const TraefikSchema = z.strictObject({
  http: z.strictObject({
    routers: z.record(
      name,
      z.strictObject({
        rule: z.string().regex(/^PathPrefix\(`\/`\)$/),
        entryPoints: z.array(name).min(1),
        middlewares: z.array(name),
        service: name,
      }),
    ),
    middlewares: z.record(name, middleware),
    services: z.record(
      name,
      z.strictObject({ loadBalancer: z.strictObject({ servers: z.array(z.strictObject({ url: z.url() })).min(1) }) }),
    ),
  }),
});
