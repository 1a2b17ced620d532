import { createContext, type ReactNode, type SyntheticEvent, useContext, useId, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { capitalize } from '@/lib/capitalize';

const DenialContext = createContext<string | null>(null);
/** Provides the reason why the controls below are disabled: `needs the owner role`. Null if they are enabled. */
export const DenialProvider = DenialContext.Provider;

export function useDenialWords(): string | null {
  return useContext(DenialContext);
}

interface Place {
  top: number;
  /** Distance from the right edge of the window. */
  right: number;
}

const GAP = 6;
/** Minimum width, so that the tooltip fits at the left edge of a phone. */
const ROOM = 190;

interface Denied {
  /** Props for the control: it stays focusable, does nothing, and is described by the tooltip. */
  props: {
    'aria-disabled': true;
    'aria-describedby': string;
    onClick: (event: SyntheticEvent) => void;
    onPointerEnter: (event: SyntheticEvent) => void;
    onPointerLeave: () => void;
    onFocus: (event: SyntheticEvent) => void;
    onBlur: () => void;
    onKeyDown: (event: { key: string }) => void;
  };
  /** Tooltip next to the control, shown on hover, focus and tap. */
  tip: ReactNode;
}

/** Returns the props of a disabled control. Null if it is enabled. */
export function useDenial(control: { 'aria-describedby'?: string }): Denied | null {
  const words = useContext(DenialContext);
  const id = useId();
  const [place, setPlace] = useState<Place | null>(null);
  if (words === null) return null;
  const show = ({ currentTarget }: SyntheticEvent) => {
    const box = currentTarget.getBoundingClientRect();
    setPlace({ top: box.bottom + GAP, right: window.innerWidth - Math.max(box.right, ROOM) });
  };
  const hide = () => setPlace(null);
  return {
    props: {
      'aria-disabled': true,
      'aria-describedby': [control['aria-describedby'], id].filter(Boolean).join(' '),
      onClick: (event) => {
        event.preventDefault();
        show(event);
      },
      onPointerEnter: show,
      onPointerLeave: hide,
      onFocus: show,
      onBlur: hide,
      onKeyDown: ({ key }) => {
        if (key === 'Escape') hide();
      },
    },
    tip: (
      <span
        role="tooltip"
        id={id}
        style={place ?? undefined}
        className={cn(
          'pointer-events-none fixed z-50 w-max max-w-[90vw] rounded-md border bg-popover px-2.5 py-1.5 text-xs font-normal whitespace-normal text-popover-foreground shadow-(--shadow-pop)',
          place === null && 'hidden',
        )}
      >
        {capitalize(words)}
      </span>
    ),
  };
}
