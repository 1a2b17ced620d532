import { z } from 'zod';
import { ReasonSchema } from '@/lib/contract/fields/text';
import type { Access, Contract, Method } from '@/lib/contract/operation';

/** What a contract says beside its name, its address and who may call it. */
type Details = Omit<Contract, 'id' | 'method' | 'path' | 'access'>;

/** `reason` of a change whose body has none. */
export const reasonParameter = {
  reason: ReasonSchema.optional().describe('Why; kept in the audit log. 1 to 500 characters after trimming.'),
};
const REASON_QUERY = z.strictObject(reasonParameter);

/** Methods of what is sent again after a lost answer: PUT and DELETE by RFC 9110 (section 9.2.2), and our merge patches. */
const SENT_AGAIN: ReadonlySet<Method> = new Set(['PUT', 'PATCH', 'DELETE']);

/** The query that a change has by `reason: 'query'`, unless it has one of its own, with `reasonParameter`. */
type ReasonQuery<D> = D extends { query: z.ZodType }
  ? Record<never, never>
  : D extends { reason: 'query' }
    ? { query: typeof REASON_QUERY }
    : Record<never, never>;

/** The operations on one path: `keys.post('createApiKey', 'owner', { ... })`. @param shared by all of them, as the tag */
export function resource<const S extends Partial<Details>>(path: string, shared: S) {
  const by =
    <const M extends Method>(method: M) =>
    <const D extends Omit<Details, keyof S> & Partial<Details>>(
      id: string,
      access: Access,
      // Inference alone would let misspelled members pass.
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
      // Sent again, it has the same effect but another answer (404 or 412), unless the first answer is kept.
      const once = SENT_AGAIN.has(method) && contract.reason !== undefined ? { idempotent: true } : {};
      return { ...contract, ...query, ...once } as typeof contract & ReasonQuery<S & D>;
    };
  return { get: by('GET'), post: by('POST'), put: by('PUT'), patch: by('PATCH'), delete: by('DELETE') };
}

export const count = z.int().min(0);

/** An object under its name in the document. */
export function object<const S extends z.ZodRawShape>(id: string, members: S) {
  return z.object(members).meta({ id });
}

/** An object in requests, under its name in the document. Members that it does not know are refused. */
export function input<const S extends z.ZodRawShape>(id: string, members: S) {
  return z.strictObject(members).meta({ id });
}

/** A required body in JSON. */
export function json<S extends z.ZodType>(schema: S) {
  return { schema, required: true } as const;
}

/** A body in JSON that may be absent. */
export function optionalJson<S extends z.ZodType>(schema: S) {
  return { schema, required: false } as const;
}

/** A required body that may also come as a merge patch (RFC 7396). */
export function patchOf<S extends z.ZodType>(schema: S) {
  return { schema, required: true, mediaTypes: ['application/merge-patch+json'] } as const;
}

type Headers = Contract['response']['headers'];

/** A response with a body in JSON. */
const answering =
  <const Status extends 200 | 201>(status: Status) =>
  <S extends z.ZodType>(description: string, schema: S, headers: Headers = {}) => ({
    status,
    description,
    schema,
    headers,
  });
export const ok = answering(200);
export const created = answering(201);

export function noContent(description: string) {
  return { status: 204, description } as const;
}
