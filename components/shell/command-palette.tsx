import dynamic from 'next/dynamic';
import { useEffect } from 'react';

const PaletteDialog = dynamic(() => import('@/components/shell/palette-dialog').then((file) => file.PaletteDialog), {
  ssr: false,
});

/** Jump to a page, a key or an identifier, or start an operation. Opened by ⌘K or Ctrl+K, and fetched only then. */
export function CommandPalette({
  open,
  onOpenChange,
  lab,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  lab: boolean;
}) {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey) return;
      event.preventDefault();
      onOpenChange(!open);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open, onOpenChange]);
  return open ? <PaletteDialog lab={lab} onClose={() => onOpenChange(false)} /> : null;
}
