/** `path` in the details of a 403 for a session that must set up a second factor first. */
export const SECOND_FACTOR_DETAIL = 'second_factor';
