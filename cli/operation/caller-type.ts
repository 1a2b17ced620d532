import type { OptionDefinition } from '@/cli/command';
import type { Field } from '@/cli/operation/fields';

/** Switches that set the type of an identifier. */
export const CALLER_SWITCHES: Readonly<Record<string, readonly [flag: string, description: string]>> = {
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
