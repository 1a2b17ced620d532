import { z } from 'zod';
import {
  ClientTypeSchema,
  EndpointClassSchema,
  IdentifierTypeSchema,
  QuotaTierSchema,
} from '@/lib/contract/fields/enumerations';

const End = z.int().nullable();
const Exception = z.object({ id: z.string(), type: IdentifierTypeSchema, identifier: z.string(), expiresAt: End });

/** What a row of the rules has to hold, so that no decision reckons with what is no number, or no text. */
const READABLE = {
  allowlist: Exception,
  overrides: Exception.extend({
    class: EndpointClassSchema,
    limit: z.int().nonnegative(),
    windowSeconds: z.int().positive(),
  }),
  api_keys: z.object({
    id: z.string(),
    name: z.string(),
    tier: QuotaTierSchema,
    clientType: ClientTypeSchema,
    userId: z.string().nullable(),
    overageAllowed: z.boolean(),
    monthStartsOn: z.int().min(1).max(31),
    monthShift: z.int(),
    secretHash: z.string(),
    previousSecretHash: z.string().nullable(),
    previousSecretUntil: End,
    expiresAt: End,
  }),
  grants: z.object({ id: z.string(), apiKeyId: z.string(), requests: z.int(), until: z.int() }),
};

/** Reports a row that cannot be read, with the reason. */
export type OnUnreadableRule = (table: string, row: string, error: unknown) => void;

/**
 * The rows that can be read, and those that were removed. Without the others a decision is stricter (an allowlist entry, a
 * grant), goes by the usual limit (an override), or refuses the key.
 * @returns an array where all rows are there
 */
export function readableOf<Row extends { id: string }>(
  rows: Iterable<Row>,
  table: keyof typeof READABLE,
  isRemoved: (row: Row) => boolean,
  onUnreadable: OnUnreadableRule,
): Iterable<Row> {
  const readable = pickReadable(rows, table, isRemoved, onUnreadable);
  return Array.isArray(rows) ? [...readable] : readable;
}

function* pickReadable<Row extends { id: string }>(
  rows: Iterable<Row>,
  table: keyof typeof READABLE,
  isRemoved: (row: Row) => boolean,
  onUnreadable: OnUnreadableRule,
): Iterable<Row> {
  const schema = READABLE[table];
  for (const row of rows) {
    const error = isRemoved(row) ? undefined : schema.safeParse(row).error;
    if (error === undefined) yield row;
    else onUnreadable(table, String(row.id), error);
  }
}
