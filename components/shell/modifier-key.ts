import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Returns the modifier key for shortcuts: `⌘` on Apple platforms, else `Ctrl`. */
export function useModifierKey(): '⌘' | 'Ctrl' {
  return useSyncExternalStore(
    never,
    () => (/mac|iphone|ipad/i.test(navigator.platform) ? '⌘' : 'Ctrl'),
    () => 'Ctrl',
  );
}
