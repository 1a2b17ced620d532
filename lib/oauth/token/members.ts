/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const has = (members: Members, name: string) => Object.hasOwn(members, name);
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
