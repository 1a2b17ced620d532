import { Popover } from 'radix-ui';

/** Parts of a popover. They are a separate file, so that they load separately. */
export const { Root, Trigger, Portal, Content } = Popover;
