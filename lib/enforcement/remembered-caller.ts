/**
 * The caller of the decision API if its token was not looked up for this call. A change may have revoked the token, so
 * the request is planned only under the rules of `revision`. Under others the caller is looked up first.
 */
export interface RememberedCaller {
  readonly revision: number;
  /** The look-up has refused the caller. Its request is planned without meters and consumes nothing. */
  readonly isRefused: boolean;
  /** Looks the caller up, and takes the revision before that as its own. Never rejects. */
  lookUp(): Promise<void>;
}

/**
 * Looks up the remembered callers of a group unless they were looked up under a revision of the rules.
 * @param revision null if no revision can be checked: every remembered caller is looked up
 * @returns null if none has to be looked up. The rules may change before the promise resolves
 */
export function lookUpCallers(
  group: readonly { readonly caller?: RememberedCaller }[],
  revision: number | null,
): Promise<unknown> | null {
  let outdated: Set<RememberedCaller> | undefined;
  for (const { caller } of group) {
    if (caller === undefined || caller.isRefused || caller.revision === revision) continue;
    outdated ??= new Set();
    outdated.add(caller);
  }
  return outdated === undefined ? null : Promise.all([...outdated].map((caller) => caller.lookUp()));
}
