const KEY = Symbol.for('sluice.shutting-down');

type Place = Record<symbol, unknown>;

/** Whether the process was told to stop (`server.mjs` sets the symbol on SIGTERM, before anything else): it finishes what it has and says that it is not ready for more. */
export function isShuttingDown(): boolean {
  return (globalThis as unknown as Place)[KEY] === true;
}
