import { z } from 'zod';
import { EndpointClassSchema, type OverriddenType, OverriddenTypeSchema } from '@/lib/contract/fields/enumerations';
import { withCanonicalIdentifier, withOverriddenIdentifier } from '@/lib/contract/fields/identifier';
import { LimitName } from '@/lib/contract/fields/named-limit';
import {
  buildStoredNumbers,
  numbersFields,
  numbersInput,
  refineNumbers,
  type StoredNumbers,
} from '@/lib/contract/fields/numbers';
import { ReasonSchema } from '@/lib/contract/fields/text';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Identifies an override. */
export const overrideTarget = {
  type: OverriddenTypeSchema,
  identifier: z
    .string()
    .describe(
      'An IPv4 or IPv6 address or CIDR range, a user id, or the subject of a named limit, according to `type`.',
    ),
  class: EndpointClassSchema.optional().describe('Required for an address or a user.'),
  limit_name: LimitName.optional().describe('The named limit. Required for the type `subject`.'),
};

/** An override as a request states it, without its end. */
export const newOverrideFields = { ...overrideTarget, ...numbersInput, reason: ReasonSchema };

/** An override in the present state, without its reason and its end. */
export const storedOverrideFields = {
  type: OverriddenTypeSchema,
  identifier: z.string(),
  class: EndpointClassSchema.optional(),
  limit_name: z.string().optional(),
  limit: numbersFields.limit.optional(),
  window_seconds: numbersFields.window_seconds.optional(),
  windows: numbersFields.windows,
  in_flight: numbersFields.in_flight,
};

interface Target {
  type: OverriddenType;
  identifier: string;
  class?: EndpointClass | undefined;
  limit_name?: string | undefined;
}

/** Target of an override. The empty text is the class of a named limit, and the limit of a class. */
export interface OverrideTarget {
  type: OverriddenType;
  identifier: string;
  class: EndpointClass | '';
  limitName: string;
}

/** Rejects a class of a subject, and a named limit of an address or a user. */
function refineTarget(
  { type, class: name, limit_name: limit }: Target,
  context: z.core.$RefinementCtx<unknown>,
): boolean {
  const isNamed = type === 'subject';
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (isNamed && name !== undefined) issue('class', 'is not for the type subject');
  if (isNamed && limit === undefined) issue('limit_name', 'is required');
  if (!isNamed && limit !== undefined) issue('limit_name', 'is only for the type subject');
  if (!isNamed && name === undefined) issue('class', 'is required');
  return isNamed;
}

/** Reads which override a request names. */
export function parseTarget<T extends Target>(value: T, context: z.core.$RefinementCtx<T>): OverrideTarget {
  refineTarget(value, context);
  const { type, identifier, class: name = '', limit_name: limitName = '' } = withCanonicalIdentifier(value, context);
  return { type, identifier, class: name, limitName };
}

interface StatedOverride<End> extends Target, z.output<z.ZodObject<typeof numbersInput>> {
  reason: string;
  expires_at?: End;
}

/** Reads an override. Its identifier covers all that share its counter. */
export function parseWholeOverride<End, T extends StatedOverride<End>>(
  value: T,
  context: z.core.$RefinementCtx<T>,
): OverrideTarget & { numbers: StoredNumbers; reason: string; expires_at: T['expires_at'] } {
  refineNumbers(value, refineTarget(value, context), context);
  const { type, identifier, class: name = '', limit_name: limitName = '' } = withOverriddenIdentifier(value, context);
  const { reason, expires_at } = value;
  return { type, identifier, class: name, limitName, numbers: buildStoredNumbers(value), reason, expires_at };
}
