import { AlertCount } from '@/components/alerts/alert-count';
import { UserMenu } from '@/components/frame/user-menu';
import { SideNavigation } from '@/components/shell/navigation';
import { Wordmark } from '@/components/shell/wordmark';
import { Dialog, SheetContent } from '@/components/ui/dialog';

export default function MobileMenu({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose}>
      <SheetContent title="Menu">
        <div className="flex h-13 items-center px-5">
          <Wordmark />
        </div>
        <SideNavigation alertCount={<AlertCount />} onNavigate={onClose} />
        <div className="border-t p-2">
          <UserMenu />
        </div>
      </SheetContent>
    </Dialog>
  );
}
