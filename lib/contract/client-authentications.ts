/** How a client authenticates (OpenID Connect Core section 9), in the names of the API. */
export const CLIENT_AUTHENTICATIONS = ['none', 'basic', 'post', 'private_key_jwt'] as const;
