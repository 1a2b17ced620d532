/** Page of the console to which authorization servers redirect browsers. */
export const CALLBACK_PATH = '/oauth/callback';

/** Fragment that marks the address of an authorization response sent by POST (OAuth 2.0 Form Post Response Mode). */
export const FORM_POST_MARK = '#form_post';

/** Client metadata document of this Sluice. Its address is a client id at servers that support such documents. */
export const CLIENT_DOCUMENT_PATH = '/oauth/client-metadata';
