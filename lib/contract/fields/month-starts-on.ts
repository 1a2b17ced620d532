import { z } from 'zod';

/** Day of the month on which the months of a quota begin. */
export const MonthStartsOn = z.int().min(1, 'must be at least 1').max(31, 'must be at most 31').meta({ example: 15 });
