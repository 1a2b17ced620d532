import type { ReactNode } from 'react';
import type { FieldPath, FieldValues } from 'react-hook-form';
import { useFormContext } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import { useBottomBar } from '@/components/shell/use-bottom-bar';
import { Button } from '@/components/ui/button';

interface SaveBarProps {
  onDiscard: () => void;
  /** Names a field of the form. */
  nameField: (path: string) => string;
  reasonExample: string;
  /** Alternatives to saving. */
  instead?: ReactNode;
  /** Describes the changes and their effect. */
  children: ReactNode;
}

/** Sticky bar of a form with unsaved changes: their effect, errors, the `reason` field, and Save. */
export function SaveBar({ onDiscard, nameField, reasonExample, instead, children }: SaveBarProps) {
  const { control, formState } = useFormContext<{ reason: string }>();
  const pending = formState.isSubmitting;
  return (
    <div
      ref={useBottomBar()}
      className="sticky bottom-4 z-20 flex flex-col gap-2 rounded-lg border bg-popover px-4 py-3 shadow-(--shadow-pop) max-sm:bottom-2 max-sm:px-3"
    >
      {children}
      <Faults nameField={nameField} />
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-72">
          <TextField control={control} name="reason" label="Reason" placeholder={reasonExample} autoComplete="off" />
        </div>
        <div className="ml-auto flex flex-wrap justify-end gap-2 max-sm:w-full sm:mt-6.5">
          {instead}
          <Button variant="ghost" disabled={pending} onClick={onDiscard}>
            Discard
          </Button>
          <Button type="submit" pending={pending}>
            Save changes
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Lists the invalid fields, each with a link to it. The reason field shows its own error. */
function Faults({ nameField }: { nameField: (path: string) => string }) {
  const { formState, setFocus } = useFormContext<FieldValues>();
  const paths = listPaths(formState.errors).filter((path) => path !== 'reason');
  if (paths.length === 0) return null;
  return (
    <p role="alert" className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 text-sm text-destructive-text">
      Cannot be saved:
      {paths.map((path) => (
        <Button
          key={path}
          variant="ghost"
          size="inline"
          className="whitespace-normal underline underline-offset-4"
          onClick={() => setFocus(path as FieldPath<FieldValues>)}
        >
          {nameField(path)}
        </Button>
      ))}
    </p>
  );
}

/** Lists the dotted paths of a form's errors, in form order. */
function listPaths(errors: unknown, path = ''): string[] {
  if (typeof errors !== 'object' || errors === null) return [];
  if ('message' in errors && 'type' in errors) return [path];
  return Object.entries(errors).flatMap(([name, value]) => listPaths(value, path === '' ? name : `${path}.${name}`));
}
