import { Popover } from 'radix-ui';

/** The parts of a popover, in a file of their own so that they are fetched on their own. */
export const { Root, Trigger, Portal, Content } = Popover;
