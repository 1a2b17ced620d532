import { DropdownMenu } from 'radix-ui';

/** Parts of a menu. They are a separate file, so that they load separately. */
export const { Root, Trigger, Portal, Content, Item, Label, Separator } = DropdownMenu;
