import { z } from 'zod';
import { ReasonSchema } from '@/lib/contract/fields/text';
import type { Access, Contract, Method } from '@/lib/contract/operation';

/** Fields of a contract except its name, its address and its access. */
type Details = Omit<Contract, 'id' | 'method' | 'path' | 'access'>;

/** Parameter `reason` of a change whose body has none. */
export const reasonParameter = {
  reason: ReasonSchema.optional().describe('Reason, shown in the audit log. 1 to 500 characters after trimming.'),
};
const REASON_QUERY = z.strictObject(reasonParameter);

/**
 * Methods that clients repeat after a lost answer: PUT and DELETE by RFC 9110 (section 9.2.2), and our merge patches.
 */
const SENT_AGAIN: ReadonlySet<Method> = new Set(['PUT', 'PATCH', 'DELETE']);

/** Query that `reason: 'query'` adds to a change, unless it declares one with `reasonParameter`. */
type ReasonQuery<D> = D extends { query: z.ZodType }
  ? Record<never, never>
  : D extends { reason: 'query' }
    ? { query: typeof REASON_QUERY }
    : Record<never, never>;

/**
 * Declares the operations on one path: `keys.post('createApiKey', 'owner', { ... })`. @param shared fields of all of
 * them, such as the tag
 */
export function resource<const S extends Partial<Details>>(path: string, shared: S) {
  const declareMethod =
    <const M extends Method>(method: M) =>
    <const D extends Omit<Details, keyof S> & Partial<Details>>(
      id: string,
      access: Access,
      // This type rejects misspelled members, which inference would accept.
      details: D & Record<Exclude<keyof D, keyof Details>, never>,
    ) => {
      const contract: S & D & Pick<Contract, 'id' | 'path' | 'access' | 'example'> & { method: M } = {
        ...shared,
        ...details,
        id,
        method,
        path,
        access,
        example: { ...shared.example, ...details.example },
      };
      const query = contract.reason === 'query' && contract.query === undefined ? { query: REASON_QUERY } : {};
      // A repeated change has the same effect but another answer (404 or 412), unless the first answer is kept.
      const once = SENT_AGAIN.has(method) && contract.reason !== undefined ? { idempotent: true } : {};
      return { ...contract, ...query, ...once } as typeof contract & ReasonQuery<S & D>;
    };
  return {
    get: declareMethod('GET'),
    post: declareMethod('POST'),
    put: declareMethod('PUT'),
    patch: declareMethod('PATCH'),
    delete: declareMethod('DELETE'),
  };
}

export const count = z.int().min(0);

/** Declares an object under its name in the document. */
export function object<const S extends z.ZodRawShape>(id: string, members: S) {
  return z.object(members).meta({ id });
}

/** Declares an object in requests, under its name in the document. Other members are rejected. */
export function input<const S extends z.ZodRawShape>(id: string, members: S) {
  return z.strictObject(members).meta({ id });
}

/** Declares a required body in JSON. */
export function json<S extends z.ZodType>(schema: S) {
  return { schema, required: true } as const;
}

/** Declares an optional body in JSON. */
export function optionalJson<S extends z.ZodType>(schema: S) {
  return { schema, required: false } as const;
}

/** Declares a required body that may also come as a merge patch (RFC 7396). */
export function declarePatch<S extends z.ZodType>(schema: S) {
  return { schema, required: true, mediaTypes: ['application/merge-patch+json'] } as const;
}

type Headers = Contract['response']['headers'];

/** Declares a response with a body in JSON. */
const declareResponse =
  <const Status extends 200 | 201>(status: Status) =>
  <S extends z.ZodType>(description: string, schema: S, headers: Headers = {}) => ({
    status,
    description,
    schema,
    headers,
  });
export const ok = declareResponse(200);
export const created = declareResponse(201);

export function declareNoContent(description: string) {
  return { status: 204, description } as const;
}
