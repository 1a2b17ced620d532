import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cn, wrapWithStyle } from '@/components/ui/cn';

export const Dialog = Primitive.Root;

export const overlayClasses =
  'fixed inset-0 z-50 bg-black/35 dark:bg-black/60 data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0';

type ContentProps = ComponentProps<typeof Primitive.Content>;

/** A click on a toast does not count as outside, so that Undo never closes the open dialog. */
const keepForToasts: ContentProps['onInteractOutside'] = (event) => {
  if (event.target instanceof Element && event.target.closest('[data-sonner-toaster]')) event.preventDefault();
};

/** Panel over the page with a close button, which `closeClasses` position. */
function Panel({ children, closeClasses, ...props }: ContentProps & { closeClasses: string }) {
  return (
    <Primitive.Portal>
      <Primitive.Overlay className={overlayClasses} />
      <Primitive.Content onInteractOutside={keepForToasts} {...props}>
        {children}
        <Primitive.Close
          className={cn(
            'absolute inline-flex items-center justify-center rounded-md text-muted-foreground hover:bg-accent hover:text-foreground',
            closeClasses,
          )}
        >
          <X aria-hidden className="size-4" />
          <span className="sr-only">Close</span>
        </Primitive.Close>
      </Primitive.Content>
    </Primitive.Portal>
  );
}

export const DialogContent = /* @__PURE__ */ wrapWithStyle(
  (props: ContentProps) => <Panel closeClasses="top-3.5 right-3.5 size-7" {...props} />,
  'fixed inset-x-0 top-[max(8vh,var(--toast-room,0px))] z-50 mx-auto flex max-h-[84vh] max-sm:top-[max(4dvh,var(--toast-room,0px))] max-sm:max-h-[92dvh] w-[calc(100%-2rem)] max-w-lg flex-col overflow-y-auto rounded-xl border bg-popover text-popover-foreground shadow-(--shadow-pop) duration-150 outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=open]:slide-in-from-top-2 data-[state=closed]:animate-out data-[state=closed]:fade-out-0',
);

/** Panel that slides in from a side. `title` is its accessible name. */
export function SheetContent({
  className,
  children,
  side = 'left',
  title,
}: Pick<ContentProps, 'className' | 'children'> & { side?: 'left' | 'right'; title: string }) {
  return (
    <Panel
      aria-describedby={undefined}
      closeClasses="top-3 right-3 size-8"
      className={cn(
        'fixed inset-y-0 top-(--toast-room,0px) z-50 flex w-72 max-w-[85vw] flex-col bg-sidebar shadow-(--shadow-pop) duration-200 outline-none data-[state=open]:animate-in data-[state=closed]:animate-out',
        side === 'left'
          ? 'left-0 border-r data-[state=open]:slide-in-from-left data-[state=closed]:slide-out-to-left'
          : 'right-0 border-l data-[state=open]:slide-in-from-right data-[state=closed]:slide-out-to-right',
        className,
      )}
    >
      <DialogTitle className="sr-only">{title}</DialogTitle>
      {children}
    </Panel>
  );
}

export const DialogBody = /* @__PURE__ */ wrapWithStyle('div', 'flex flex-col gap-4 px-5 py-4');
export const DialogFooter = /* @__PURE__ */ wrapWithStyle(
  'div',
  'sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 rounded-b-xl border-t bg-[color-mix(in_oklab,var(--color-muted)_50%,var(--color-popover))] px-5 py-3',
);
export const DialogTitle = /* @__PURE__ */ wrapWithStyle(Primitive.Title, 'text-lg font-semibold tracking-[-0.011em]');
export const DialogDescription = /* @__PURE__ */ wrapWithStyle(Primitive.Description, 'text-sm text-muted-foreground');

interface DialogFrameProps {
  title: string;
  description?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
}

export function DialogFrame({ title, description, footer, children }: DialogFrameProps) {
  return (
    <>
      <div className="flex flex-col gap-1 px-5 pt-4.5 pr-12">
        <DialogTitle>{title}</DialogTitle>
        {description ? (
          <DialogDescription asChild>
            <div>{description}</div>
          </DialogDescription>
        ) : null}
      </div>
      <DialogBody>{children}</DialogBody>
      {footer ? <DialogFooter>{footer}</DialogFooter> : null}
    </>
  );
}
