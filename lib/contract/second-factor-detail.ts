/** The `path` in the details of a 403 for a session that must set up a second factor before anything else. */
export const SECOND_FACTOR_DETAIL = 'second_factor';
