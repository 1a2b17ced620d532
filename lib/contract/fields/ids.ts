import { z } from 'zod';
import type { AdminTokenId, ApiKeyId, MemberId } from '@/lib/ids';

export const ApiKeyIdSchema: z.ZodType<ApiKeyId, string> = z.uuid();
export const MemberIdSchema: z.ZodType<MemberId, string> = z.uuid();
export const AdminTokenIdSchema: z.ZodType<AdminTokenId, string> = z.uuid();
