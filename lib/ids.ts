/* Ids that the compiler keeps apart. */
declare const kind: unique symbol;

/** A string type that the compiler does not confuse with other ids. Plain strings are assignable to it. */
type Flavoured<Kind extends string> = string & { readonly [kind]?: Kind };

export type ApiKeyId = Flavoured<'ApiKeyId'>;
export type MemberId = Flavoured<'MemberId'>;
export type AdminTokenId = Flavoured<'AdminTokenId'>;
/** The user that a request counts for, as the caller names it. Not a member. */
export type UserId = Flavoured<'UserId'>;
