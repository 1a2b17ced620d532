/** Authentication methods of clients (OpenID Connect Core section 9), as the API names them. */
export const CLIENT_AUTHENTICATIONS = ['none', 'basic', 'post', 'private_key_jwt'] as const;
