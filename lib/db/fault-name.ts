/**
 * Whether something is a fault of this name. The services of a process are made by one bundle and used by others, each
 * with its own copy of every class (`lib/process/singleton.ts`): a fault that crosses over is known by its name, because the
 * other copy's `instanceof` would not know it.
 */
export function isFaultNamed(value: unknown, name: string): boolean {
  return value instanceof Error && value.name === name;
}
