import type { Input } from '@/cli/command';
import { createUsageFailure } from '@/cli/failure';
import { CALLER_SWITCHES } from '@/cli/operation/caller-type';
import { isAddress, isLikelyAddress, isUuid } from '@/cli/values';

/** Returns the type that a switch sets, or guesses it from the identifier. @throws Failure if it is ambiguous */
export function guessCallerType(identifier: string, types: readonly string[], input: Input): string {
  const switched = types.filter((type) => input.options[CALLER_SWITCHES[type]?.[0] ?? ''] === true);
  if (switched.length > 1) throw createUsageFailure('An identifier is of one kind only.');
  if (switched[0] !== undefined) return switched[0];
  if (isAddress(identifier)) return 'ip';
  if (isUuid(identifier) && types.includes('api_key')) return 'api_key';
  if (isLikelyAddress(identifier)) {
    throw createUsageFailure(
      'The identifier looks like an address but is not valid.',
      'Correct it, or say --user when it is the id of a user.',
    );
  }
  return 'user_id';
}
