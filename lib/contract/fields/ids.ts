import { z } from 'zod';
import type { AdminTokenId, ApiKeyId, MemberId } from '@/lib/ids';

export const ApiKeyIdSchema: z.ZodType<ApiKeyId, string> = z.uuid();
export const MemberIdSchema: z.ZodType<MemberId, string> = z.uuid();
export const AdminTokenIdSchema: z.ZodType<AdminTokenId, string> = z.uuid();

/** Form of the UUID of a key (RFC 9562 section 4): any version, any letter case, with dashes. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const EXAMPLE_ID = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Declares an `{id}` in a path, with an example. */
export function idInPath<S extends z.ZodType>(id: S) {
  return { params: z.strictObject({ id }), example: { params: { id: EXAMPLE_ID } } } as const;
}

export const MemberIdInput: z.ZodType<MemberId, string> = z
  .uuid('must be a uuid')
  .toLowerCase()
  .describe("The member's id.");

/** The UUID of a key in a request. The result is in lower case. */
export const ApiKeyIdParameter: z.ZodType<ApiKeyId, string> = z
  .string()
  .regex(UUID, 'must be a uuid')
  .toLowerCase()
  .describe("The key's uuid, never its secret.")
  .meta({ format: 'uuid', example: EXAMPLE_ID });
