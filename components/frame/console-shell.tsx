'use client';

import { Menu, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { AlertCount } from '@/components/alerts/alert-count';
import { QueryProvider } from '@/components/frame/query-provider';
import { SubjectDialogs } from '@/components/frame/subject-dialogs';
import { UserMenu } from '@/components/frame/user-menu';
import { IncidentBar } from '@/components/incident/incident-bar';
import { DialogProvider } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { hasRole, MemberProvider, type SignedIn } from '@/components/shell/member';
import { useModifierKey } from '@/components/shell/modifier-key';
import { SideNavigation } from '@/components/shell/navigation';
import { ReachBar } from '@/components/shell/reach-bar';
import { startTypingAhead, stopTypingAhead } from '@/components/shell/type-ahead';
import { useFocusReturn } from '@/components/shell/use-focus-return';
import { useShortcuts } from '@/components/shell/use-shortcuts';
import { HomeLink } from '@/components/shell/wordmark';
import { Button } from '@/components/ui/button';
import { Kbd } from '@/components/ui/kbd';

const IncidentDialog = loadOnDemand(() => import('@/components/incident/incident-dialog'));
const MobileMenu = loadOnDemand(() => import('@/components/frame/mobile-menu'));
const PaletteDialog = loadOnDemand(() => import('@/components/palette/palette-dialog'));
const ShortcutsDialog = loadOnDemand(() => import('@/components/shell/shortcuts-dialog'));

interface ConsoleShellProps extends SignedIn {
  demo: boolean;
  children: ReactNode;
}

/** Frame of every console page, including the command palette (⌘K or Ctrl+K). */
export function ConsoleShell({ member, address, lab, providers, demo, children }: ConsoleShellProps) {
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts' | 'incident' | null>(null);
  const close = () => {
    stopTypingAhead();
    setOverlay(null);
  };
  const openPalette = () => {
    startTypingAhead();
    setOverlay('palette');
  };
  useFocusReturn(overlay !== null);
  const modifier = useModifierKey();
  const mayStartIncidents = hasRole(member.role, 'operator');
  useShortcuts({
    lab,
    palette: () => (overlay === 'palette' ? close() : openPalette()),
    list: () => setOverlay('shortcuts'),
    incident: () => mayStartIncidents && setOverlay('incident'),
  });
  return (
    <MemberProvider member={member} address={address} lab={lab} providers={providers}>
      <QueryProvider>
        <DialogProvider Around={SubjectDialogs}>
          <a
            href="#main"
            className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-primary px-3 py-1.5 text-sm font-medium text-primary-foreground focus:translate-y-0"
          >
            Skip to content
          </a>
          <div className="min-h-dvh md:pl-58 print:pl-0">
            <aside className="fixed inset-y-0 left-0 z-30 flex w-58 flex-col border-r bg-sidebar max-md:hidden print:hidden">
              <div className="flex h-14 items-center px-5">
                <HomeLink demo={demo} />
              </div>
              <div className="px-3 pb-3">
                <button
                  type="button"
                  onClick={openPalette}
                  className="flex h-8 w-full items-center gap-2 rounded-md border bg-card px-2 text-sm text-muted-foreground transition-colors hover:text-foreground"
                >
                  <Search aria-hidden className="size-4" />
                  Search
                  <Kbd className="ml-auto">{modifier === 'Ctrl' ? 'Ctrl K' : '⌘K'}</Kbd>
                </button>
              </div>
              <SideNavigation alertCount={<AlertCount />} />
              <div className="border-t p-2">
                <UserMenu />
              </div>
            </aside>
            <MobileBar demo={demo} onSearch={openPalette} />
            <ReachBar />
            <IncidentBar />
            <main
              id="main"
              tabIndex={-1}
              className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-8 has-data-wide:max-w-[112rem] py-7 outline-none max-md:px-4 max-md:py-5"
            >
              {children}
            </main>
          </div>
          {overlay === 'palette' ? <PaletteDialog onClose={close} /> : null}
          {overlay === 'shortcuts' ? <ShortcutsDialog onClose={close} /> : null}
          {overlay === 'incident' ? <IncidentDialog onClose={close} /> : null}
        </DialogProvider>
      </QueryProvider>
    </MemberProvider>
  );
}

function MobileBar({ demo, onSearch }: { demo: boolean; onSearch: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b bg-background/90 px-3 backdrop-blur md:hidden print:hidden">
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
      {open ? <MobileMenu onClose={() => setOpen(false)} /> : null}
      <HomeLink demo={demo} />
      <Button variant="ghost" size="icon" className="ml-auto" aria-label="Search" onClick={onSearch}>
        <Search aria-hidden />
      </Button>
    </header>
  );
}
