import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { type OpenDialog, useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { type SignedInMember, useMember } from '@/components/shell/member';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import { DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Props of a dialog about one row of a resource. */
export interface RowDialogProps<Row> {
  row: Row;
  onClose: () => void;
}

/** An action on a row of a resource, described once for menus, buttons and the command palette. */
export interface Action<Row> {
  /** Text of the menu item: `Rotate secret…`. */
  label: string | ((row: Row) => string);
  icon: LucideIcon;
  needs: MemberRole;
  destructive?: boolean;
  /** False if the action does not exist for this row. The default is true. */
  isOffered?: (row: Row, self: SignedInMember) => boolean;
  /** False if the menu shows the action disabled. The default is true. */
  isPossible?: (row: Row) => boolean;
  /** Dialog that the action opens. Without one it has `run`. */
  dialog?: (row: Row, onClose: () => void) => ReactNode;
  run?: (row: Row, page: { open: OpenDialog; queries: QueryClient }) => Promise<void>;
  /** Text of the palette's command. The default is the label and the name of the row. */
  command?: (row: Row) => string;
  /** Text of the palette's command that asks for the row: `Rotate the secret of a key`. Without it there is none. */
  stage?: string;
  /** Additional words that find the command. */
  keywords?: readonly string[];
  /** Current value that the action changes, shown at its command. */
  note?: (row: Row) => string;
}

/** The actions of a resource by id, mildest first. */
export type Actions<Row> = Readonly<Record<string, Action<Row>>>;

/** Creates the dialog of an action from a component that loads when first shown. */
export function loadDialog<Row>(load: Parameters<typeof loadOnDemand<RowDialogProps<Row>>>[0]) {
  const Dialog = loadOnDemand(load);
  return (row: Row, onClose: () => void) => <Dialog row={row} onClose={onClose} />;
}

/** Returns the function that runs an action on a row. */
export function useRunAction() {
  const open = useDialog();
  const queries = useQueryClient();
  return <Row,>({ dialog, run }: Action<Row>, row: Row): void => {
    if (dialog) open((onClose) => dialog(row, onClose));
    else void run?.(row, { open, queries });
  };
}

export const labelAction = <Row,>({ label }: Action<Row>, row: Row) => (typeof label === 'string' ? label : label(row));

/** Lists the actions that exist for a row, with their ids. */
export const listOffered = <Row,>(actions: Actions<Row>, row: Row, self: SignedInMember) =>
  Object.entries(actions).filter(([, { isOffered }]) => isOffered?.(row, self) ?? true);

/** Menu items for the actions on a row. `disabled` disables all of them. */
export function ActionItems<Row>(props: { actions: Actions<Row>; row: Row; disabled?: boolean }) {
  const { actions, row, disabled = false } = props;
  const run = useRunAction();
  return listOffered(actions, row, useMember()).map(([id, action]) => (
    <Fragment key={id}>
      {action.destructive ? <DropdownMenuSeparator /> : null}
      <RoleMenuItem
        icon={action.icon}
        label={labelAction(action, row)}
        needs={action.needs}
        destructive={action.destructive}
        disabled={disabled || action.isPossible?.(row) === false}
        onSelect={() => run(action, row)}
      />
    </Fragment>
  ));
}
