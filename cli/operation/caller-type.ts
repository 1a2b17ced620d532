import type { Input, OptionDefinition } from '@/cli/command';
import { wrongUsage } from '@/cli/failure';
import type { Field } from '@/cli/operation/fields';
import { isAddress, isUuid, looksLikeAddress } from '@/cli/values';

/** The switches that say what an identifier is. */
const SWITCHES: Readonly<Record<string, readonly [flag: string, description: string]>> = {
  ip: ['ip', 'The identifier is an address or a range.'],
  user_id: ['user', 'The identifier is a user id.'],
  api_key: ['key', 'The identifier is an API key: its id, or its name or prefix where only one has it.'],
  client_id: ['client', 'The identifier is an OAuth client.'],
};

/** The types that the operation knows. */
export function callerTypes(field: Field): readonly string[] {
  return field.choices ?? [];
}

export function callerTypeOptions(types: readonly string[]): OptionDefinition[] {
  return types.flatMap((type) => {
    const [flag, description] = SWITCHES[type] ?? [];
    return flag === undefined || description === undefined ? [] : [{ flag, description }];
  });
}

/** What the switches say, else what the identifier looks like. @throws Failure when that is not clear */
export function typeOf(identifier: string, types: readonly string[], input: Input): string {
  const said = types.filter((type) => input.options[SWITCHES[type]?.[0] ?? ''] === true);
  if (said.length > 1) throw wrongUsage('An identifier is of one kind only.');
  if (said[0] !== undefined) return said[0];
  if (isAddress(identifier)) return 'ip';
  if (isUuid(identifier) && types.includes('api_key')) return 'api_key';
  if (looksLikeAddress(identifier)) {
    throw wrongUsage(
      'The identifier looks like an address and is none.',
      'Correct it, or say --user when it is the id of a user.',
    );
  }
  return 'user_id';
}
