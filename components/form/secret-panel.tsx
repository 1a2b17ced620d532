import type { ReactNode } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';

export interface Secret {
  title: string;
  note: ReactNode;
  secret: string;
  /** Header that sends the secret. Absent if the secret is a link to open. */
  usage?: string;
  /** True if Sluice itself uses the secret and stores it encrypted. */
  isKept?: boolean;
}

/** Shows a secret once. Only its button closes it, so that a stray key press cannot lose the secret. */
export function SecretPanel({ title, secret, note, usage, isKept, onClose }: Secret & { onClose: () => void }) {
  const what = usage === undefined && !isKept ? 'link' : 'secret';
  const preventClose = (event: Event) => event.preventDefault();
  return (
    <Dialog open>
      <DialogContent
        className="[&>button:last-child]:hidden"
        onEscapeKeyDown={preventClose}
        onPointerDownOutside={preventClose}
        onInteractOutside={preventClose}
      >
        <DialogFrame
          title={title}
          description={note}
          footer={<Button onClick={onClose}>{what === 'link' ? 'I have copied it' : 'I have stored it'}</Button>}
        >
          <div className="flex items-center gap-1 rounded-md border bg-muted py-1.5 pr-1.5 pl-3">
            <code className="min-w-0 flex-1 font-mono text-xs break-all select-all">{secret}</code>
            <CopyButton value={secret} label={`Copy ${what}`} />
          </div>
          <Alert variant="warning">
            This is the only time it is shown. {isKept ? 'Sluice keeps it encrypted.' : 'Sluice stores only a hash.'}
          </Alert>
          {usage === undefined ? null : (
            <div>
              <p className="mb-1.5 text-xs text-muted-foreground">Send it with every request:</p>
              <pre className="rounded-md bg-muted px-3 py-2 font-mono text-xs break-all whitespace-pre-wrap">
                {usage}
              </pre>
            </div>
          )}
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}
