/** How long typing is kept for a palette that does not come, milliseconds. */
const LONGEST = 5_000;

let typed = '';
let stop: (() => void) | null = null;

/**
 * Keeps what is typed from now on, until `stopTypingAhead`. The palette is fetched when it is first opened; without this,
 * what is typed meanwhile would be lost, or be taken for shortcuts.
 */
export function typeAhead(): void {
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

/** Ends what `typeAhead` began; answers what was typed in between. */
export function stopTypingAhead(): string {
  const text = typed;
  stop?.();
  stop = null;
  typed = '';
  return text;
}
