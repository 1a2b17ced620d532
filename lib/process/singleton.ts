/**
 * One value for the whole process. `proxy.ts`, the route handlers and `server.mjs` are separate module instances that
 * share `globalThis`; whatever must exist once hangs there, under a name of ours, and only through this file.
 */
export function singleton<T>(name: string, make: () => T): T {
  const key = Symbol.for(`sluice.${name}`);
  const place = globalThis as unknown as Record<symbol, T | undefined>;
  const known = place[key];
  if (known !== undefined) return known;
  const made = make();
  place[key] = made;
  return made;
}

/** Forgets a value, so that it is made again. */
export function forgetSingleton(name: string): void {
  delete (globalThis as unknown as Record<symbol, unknown>)[Symbol.for(`sluice.${name}`)];
}
