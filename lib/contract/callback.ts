/** The page of the console that authorization servers redirect browsers to. */
export const CALLBACK_PATH = '/oauth/callback';

/** The fragment of the address of an authorization response that was posted (OAuth 2.0 Form Post Response Mode). */
export const FORM_POST_MARK = '#form_post';
