import { useId } from 'react';
import { useModifierKey } from '@/components/shell/modifier-key';
import { PAGES } from '@/components/shell/navigation';
import { setShortcuts, useShortcutsOn } from '@/components/shell/shortcut-setting';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';
import { Kbd } from '@/components/ui/kbd';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';

/** Lists all shortcuts, with a switch for the single-key ones. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const on = useShortcutsOn();
  const modifier = useModifierKey();
  const field = useId();
  const everywhere = [
    { keys: [modifier, 'K'], action: 'Search and run anything' },
    { keys: [modifier, '↵'], action: 'Submit a reason, or a request in the OAuth builder' },
    { keys: ['Alt', 'T'], action: 'Go to the notifications' },
    { keys: ['Esc'], action: 'Close what is open' },
  ];
  const single = [
    { keys: ['/'], action: 'Search this list' },
    { keys: ['c'], action: 'Create something new on this page' },
    { keys: ['?'], action: 'Show these shortcuts' },
    { keys: ['i'], action: 'Start or change an incident' },
    { keys: ['Shift', 'i'], action: 'End the incident' },
  ];
  const go = PAGES.map(({ key, label }) => ({ keys: ['g', key], action: label }));
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent aria-describedby={undefined}>
        <DialogFrame title="Keyboard shortcuts">
          <ShortcutList title="Everywhere" shortcuts={everywhere} />
          <div className="flex items-center justify-between gap-4 rounded-md bg-muted px-3 py-2.5">
            <Label htmlFor={field}>Single-key shortcuts, outside text fields</Label>
            <Switch id={field} checked={on} onCheckedChange={setShortcuts} />
          </div>
          <ShortcutList title="On a page" shortcuts={single} />
          <ShortcutList title="Go to" shortcuts={go} columns />
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}

interface ShortcutListProps {
  title: string;
  shortcuts: readonly { keys: readonly string[]; action: string }[];
  columns?: boolean;
}

function ShortcutList({ title, shortcuts, columns }: ShortcutListProps) {
  return (
    <section>
      <h3 className="mb-1.5 text-xs text-muted-foreground">{title}</h3>
      <dl className={columns ? 'grid gap-x-6 gap-y-1.5 sm:grid-cols-2' : 'grid gap-y-1.5'}>
        {shortcuts.map(({ keys, action }) => (
          <div key={action} className="flex items-center justify-between gap-3 text-sm">
            <dt>{action}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
