/* Ids that the compiler keeps apart. */
declare const kind: unique symbol;

/** A string that the compiler does not take for one of another kind; plain strings fit. */
type Flavoured<Kind extends string> = string & { readonly [kind]?: Kind };

export type ApiKeyId = Flavoured<'ApiKeyId'>;
export type MemberId = Flavoured<'MemberId'>;
export type AdminTokenId = Flavoured<'AdminTokenId'>;
/** The user whom requests count for, as the caller names them; not a member. */
export type UserId = Flavoured<'UserId'>;
