import { type ComponentProps, useId, useState } from 'react';
import { needsRole, useMay } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** A button that needs a role. Who has it not can still reach it, and is told why it does nothing. */
export function RoleButton({ needs, ...button }: ComponentProps<typeof Button> & { needs: MemberRole }) {
  return useMay(needs) ? <Button {...button} /> : <DeniedButton {...button} words={needsRole(needs).words} />;
}

interface Place {
  top: number;
  /** From the right edge of the window. */
  right: number;
}

const GAP = 6;
/** So that the words fit at the left edge of a phone. */
const ROOM = 190;

function DeniedButton({ words, className, ...button }: ComponentProps<typeof Button> & { words: string }) {
  const id = useId();
  const [place, setPlace] = useState<Place | null>(null);
  const show = ({ currentTarget }: { currentTarget: Element }) => {
    const box = currentTarget.getBoundingClientRect();
    setPlace({ top: box.bottom + GAP, right: window.innerWidth - Math.max(box.right, ROOM) });
  };
  const hide = () => setPlace(null);
  return (
    <>
      <Button
        {...button}
        type="button"
        className={cn('cursor-not-allowed!', className)}
        aria-disabled
        aria-describedby={id}
        onClick={show}
        onPointerEnter={show}
        onPointerLeave={hide}
        onFocus={show}
        onBlur={hide}
        onKeyDown={({ key }) => key === 'Escape' && hide()}
      />
      <span
        role="tooltip"
        id={id}
        style={place ?? undefined}
        className={cn(
          'pointer-events-none fixed z-50 w-max rounded-md border bg-popover px-2.5 py-1.5 text-xs text-popover-foreground shadow-(--shadow-pop)',
          place === null && 'hidden',
        )}
      >
        {button['aria-label'] ?? 'This'} {words}
      </span>
    </>
  );
}
