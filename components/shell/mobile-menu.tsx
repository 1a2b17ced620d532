import { SideNavigation } from '@/components/shell/navigation';
import { UserMenu } from '@/components/shell/user-menu';
import { Wordmark } from '@/components/shell/wordmark';
import { Dialog, SheetContent } from '@/components/ui/dialog';

export default function MobileMenu({ lab, onClose }: { lab: boolean; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose}>
      <SheetContent title="Menu">
        <div className="flex h-13 items-center px-5">
          <Wordmark />
        </div>
        <SideNavigation lab={lab} onNavigate={onClose} />
        <div className="border-t p-2">
          <UserMenu />
        </div>
      </SheetContent>
    </Dialog>
  );
}
