import { z } from 'zod';

/** Largest number of 15 digits, for numbers of rows. */
export const MAX_ROW = 999_999_999_999_999;

/**
 * A whole number in a query or a path, without leading zeros. The OpenAPI document describes it as an integer.
 * @param message replaces the sentence that names the bounds
 */
export function wholeNumber(min: number, max: number, message = `must be a whole number from ${min} to ${max}`) {
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,14})$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined });
}
