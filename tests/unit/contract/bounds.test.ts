import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CONTRACTS } from '@/lib/contract/contracts';
import { issueMessage } from '@/lib/http/input';

/** Lists every schema of a number below a schema, with its place. */
function listNumbers(schema: unknown, place: string, seen: Set<unknown>): [place: string, schema: z.ZodNumber][] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  if (schema instanceof z.ZodNumber) return [[place, schema]];
  const inner =
    schema instanceof z.ZodType ? { ...schema.def, ...('shape' in schema ? { shape: schema.shape } : {}) } : schema;
  return Object.entries(inner).flatMap(([name, part]) => listNumbers(part, `${place}.${name}`, seen));
}

describe('a number of a request that is out of its bounds', () => {
  const seen = new Set<unknown>();
  const numbers = CONTRACTS.flatMap(({ id, query, body }) => listNumbers([query, body], id, seen));

  it('is found in the contracts', () => {
    expect(numbers.length).toBeGreaterThan(20);
  });

  it.each(numbers)('names the bound: %s', (_, schema) => {
    for (const [bound, beyond] of [
      [schema.minValue, (schema.minValue ?? 0) - 1],
      [schema.maxValue, (schema.maxValue ?? 0) + 1],
    ] as const) {
      if (bound === null || Math.abs(bound) >= Number.MAX_SAFE_INTEGER) continue;
      const messages = schema.safeParse(beyond).error?.issues.map(issueMessage) ?? [];
      expect(messages.join()).toContain(String(bound));
    }
  });
});
