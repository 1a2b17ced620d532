import { Menu, Search } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import { HomeLink } from '@/components/shell/wordmark';
import { Button } from '@/components/ui/button';

const MobileMenu = dynamic(() => import('@/components/shell/mobile-menu').then((file) => file.MobileMenu), {
  ssr: false,
});

/** The bar above the page on narrow screens. */
export function MobileBar({ lab, demo, onSearch }: { lab: boolean; demo: boolean; onSearch: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b bg-background/90 px-3 backdrop-blur md:hidden">
      <Button
        variant="ghost"
        size="icon"
        aria-label="Open menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Menu aria-hidden />
      </Button>
      {open ? <MobileMenu lab={lab} onClose={() => setOpen(false)} /> : null}
      <HomeLink demo={demo} />
      <Button variant="ghost" size="icon" className="ml-auto" aria-label="Search" onClick={onSearch}>
        <Search aria-hidden />
      </Button>
    </header>
  );
}
