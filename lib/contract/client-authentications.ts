/** Authentication methods of clients (OpenID Connect Core section 9), as the API names them. */
export const CLIENT_AUTHENTICATIONS = ['none', 'basic', 'post', 'private_key_jwt'] as const;

/** Methods with a certificate in the TLS handshake (RFC 8705 section 2). A page in a browser cannot present one. */
export const CERTIFICATE_AUTHENTICATIONS = ['tls_client_auth', 'self_signed_tls_client_auth'] as const;

/** Authentication methods of a client in an assessment. */
export const ASSESSED_AUTHENTICATIONS = [...CLIENT_AUTHENTICATIONS, ...CERTIFICATE_AUTHENTICATIONS] as const;
