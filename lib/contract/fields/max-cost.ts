/** Highest cost of one request. */
export const MAX_COST = 1_000;
