import { DropdownMenu } from 'radix-ui';

/** The parts of a menu, in a file of their own so that they are fetched on their own. */
export const { Root, Trigger, Portal, Content, Item, Label, Separator } = DropdownMenu;
