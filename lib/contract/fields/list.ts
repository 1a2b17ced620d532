import { z } from 'zod';
import { wholeNumber } from '@/lib/contract/fields/whole-number';
import { ok } from '@/lib/contract/resource';

export const MAX_PAGE = 1_000;

export const pageParameters = {
  limit: wholeNumber(1, MAX_PAGE)
    .describe(`The maximum number of elements, 1 to ${MAX_PAGE}.`)
    .meta({ example: 100 })
    .optional(),
  cursor: z
    .string()
    .regex(/^[\w-]{1,1024}$/, 'is not a cursor of this list')
    .describe('End of the previous page, from its `Link` header. Opaque: do not construct it.')
    .optional(),
};

/** Query parameters of a list that can be downloaded. `format` overrides `Accept`. */
export const exportParameters = {
  ...pageParameters,
  format: z
    .enum(['json', 'csv', 'jsonl'], 'must be json, csv or jsonl')
    .describe(
      'A JSON array, or the whole filtered list as CSV (RFC 4180, formula-safe) or JSON lines. Overrides `Accept`.',
    )
    .optional(),
};

export function declarePage<Item extends z.ZodType>(description: string, item: Item) {
  return ok(description, z.array(item), {
    Link: 'The next page, `rel="next"`, if there is one.',
    'X-Total-Count': 'The number of elements on all pages, if the request has `Prefer: count=exact`.',
  });
}

/**
 * Declares an answer with status 200: a page of a list, or all of it as a download. @param more further media types of
 * the list
 */
export function declareExport<Item extends z.ZodType>(description: string, item: Item, ...more: string[]) {
  return {
    ...declarePage(description, item),
    mediaTypes: ['application/json', 'text/csv', 'application/jsonl', ...more],
  } as const;
}

/** Declares the query parameter `sort`: one of the names, with a leading minus for descending order. */
export function sortParameter<const Name extends string>(names: readonly [Name, ...Name[]], usual: Name | `-${Name}`) {
  const all: string[] = names.flatMap((name) => [name, `-${name}`]);
  return z
    .enum(all, `must be one of ${all.join(', ')}`)
    .default(usual)
    .describe(`The sort key; a minus sorts in descending order. Default \`${usual}\`.`);
}

export function searchIn(description: string) {
  return z.string().min(1).max(256).optional().describe(description);
}

/** A filter by one identifier, spelled as in answers. */
export const exactIdentifier = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe('Exactly this identifier, in canonical form.')
  .meta({ example: '203.0.113.7' });

export function statusParameter(description: string) {
  return z.enum(['active', 'expired', 'all'], 'must be active, expired or all').default('active').describe(description);
}

/** A filter by one or more of the values, separated by commas. */
export function oneOrMore<const Value extends string>(values: readonly Value[]) {
  const isValue = (text: string): text is Value => values.some((value) => value === text);
  return z
    .string()
    .transform((text, context) => {
      const chosen = text.split(',');
      if (chosen.every(isValue)) return chosen;
      context.addIssue(`must be one or more of ${values.join(', ')}, separated by commas`);
      return z.NEVER;
    })
    .optional()
    .describe(`One or more of ${values.map((value) => `\`${value}\``).join(', ')}, separated by commas.`);
}
