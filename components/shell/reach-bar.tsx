import { CloudOff } from 'lucide-react';
import { useEffect } from 'react';
import { useReach, watchBrowser } from '@/components/api/reach';
import { holdNavigations } from '@/components/shell/hold-navigation';
import { PAGES } from '@/components/shell/navigation';

/** Notes that the server is down and which page opens once it is back. Holds navigations until then. */
export function ReachBar() {
  const { lost, waiting } = useReach();
  useEffect(() => {
    const ends = [holdNavigations(), watchBrowser()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const page = PAGES.find(({ href }) => href === waiting)?.label ?? waiting;
  return (
    <div role="status" className="sticky top-0 z-20 empty:hidden max-md:top-13 print:hidden">
      {lost ? (
        <p className="flex items-center justify-center gap-2 border-b bg-warning-soft px-4 py-1.5 text-center text-sm text-warning-text">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          <span>
            The server cannot be reached. Trying again.
            {page ? ` ${page} opens when it is back.` : null}
          </span>
        </p>
      ) : null}
    </div>
  );
}
