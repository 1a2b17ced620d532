/**
 * The caller of the decision API if its token was not looked up for this call. A change may have revoked the token, so
 * the request is planned only under the rules of `revision`. Under other rules the caller is looked up first.
 */
export interface RememberedCaller {
  readonly revision: number;
  /** True if the look-up refused the caller. Its request is planned without meters and consumes nothing. */
  readonly isRefused: boolean;
  /** Looks the caller up. Sets `revision` to the one before the look-up. Never rejects. */
  lookUp(): Promise<void>;
}

/**
 * Looks up the remembered callers of a group, unless they were looked up under `revision`.
 * @param revision null if no revision can be checked: every remembered caller is looked up
 * @returns null if no look-up is needed; the rules may change before the promise resolves
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
