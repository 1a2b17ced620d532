interface Listened {
  actions: Set<() => void>;
  run: () => void;
}

/** Each signal has one listener, however many checks it aborts, because Node warns of a leak from the eleventh on. */
const listened = new WeakMap<AbortSignal, Listened>();

/** Runs an action when a signal is aborted. @returns a function that cancels it */
export function runOnAbort(signal: AbortSignal, action: () => void): () => void {
  const { actions, run } = listened.get(signal) ?? listenTo(signal);
  actions.add(action);
  return () => {
    actions.delete(action);
    if (actions.size > 0 || listened.get(signal)?.actions !== actions) return;
    listened.delete(signal);
    signal.removeEventListener('abort', run);
  };
}

function listenTo(signal: AbortSignal): Listened {
  const actions = new Set<() => void>();
  const run = () => {
    listened.delete(signal);
    for (const action of actions) action();
  };
  const entry = { actions, run };
  listened.set(signal, entry);
  signal.addEventListener('abort', run, { once: true });
  return entry;
}
