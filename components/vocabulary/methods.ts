import { FORWARDED_METHODS } from '@/lib/http/request-methods';

/** HTTP methods, as options of a select. */
export const METHODS = FORWARDED_METHODS.map((value) => ({ value, label: value }));
