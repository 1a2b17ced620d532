/** Time for which typed text is kept for a palette that does not load, in milliseconds. */
const LONGEST = 5_000;

let typed = '';
let stop: (() => void) | null = null;

/**
 * Records typed text until `stopTypingAhead`. The palette loads when first opened; until then, typed text would be lost
 * or trigger shortcuts.
 */
export function startTypingAhead(): void {
  stopTypingAhead();
  const listen = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') return stopTypingAhead();
    if (event.key === 'Backspace') typed = typed.slice(0, -1);
    else if (event.key.length === 1) typed += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', listen, true);
  const timer = setTimeout(stopTypingAhead, LONGEST);
  stop = () => {
    window.removeEventListener('keydown', listen, true);
    clearTimeout(timer);
  };
}

/** Stops recording and returns the text typed since `startTypingAhead`. */
export function stopTypingAhead(): string {
  const text = typed;
  stop?.();
  stop = null;
  typed = '';
  return text;
}
