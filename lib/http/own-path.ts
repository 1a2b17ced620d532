/** A path of this origin to return to after a sign-in, else `/`. */
export function ownPath(value: string | string[] | undefined): string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) && !/^\/(?:sign-in|invitation)/.test(value)
    ? value
    : '/';
}
