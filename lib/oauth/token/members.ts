import type { JsonObject } from '@/lib/json';

export const has = (members: JsonObject, name: string) => Object.hasOwn(members, name);
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
