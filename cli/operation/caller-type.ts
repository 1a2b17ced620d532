import type { Input, OptionDefinition } from '@/cli/command';
import { createUsageFailure } from '@/cli/failure';
import type { Field } from '@/cli/operation/fields';
import { isAddress, isLikelyAddress, isUuid } from '@/cli/values';

/** Switches that set the type of an identifier. */
const CALLER_SWITCHES: Readonly<Record<string, readonly [flag: string, description: string]>> = {
  ip: ['ip', 'The identifier is an address or a range.'],
  user_id: ['user', 'The identifier is a user id.'],
  api_key: ['key', 'The identifier is an API key: its id, or its name or prefix where only one has it.'],
  client_id: ['client', 'The identifier is an OAuth client.'],
  subject: ['subject', 'The identifier is the subject of a named limit, such as a phone number.'],
};

/** Lists the types that the operation accepts. */
export function listCallerTypes(field: Field): readonly string[] {
  return field.choices ?? [];
}

export function buildCallerTypeOptions(types: readonly string[]): OptionDefinition[] {
  return types.flatMap((type) => {
    const [flag, description] = CALLER_SWITCHES[type] ?? [];
    return flag === undefined || description === undefined ? [] : [{ flag, description }];
  });
}

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
