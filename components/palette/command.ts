import type { LucideIcon } from 'lucide-react';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Asks for the object of an operation that was chosen without one. */
export interface Stage {
  of: 'key' | 'identity';
  /** Name of the operation. */
  title: string;
  verb: string;
}

/** One line of the palette. */
export interface Command {
  /** Stable id, under which recent commands are stored. */
  id: string;
  group: string;
  label: string;
  icon: LucideIcon;
  /** Additional words that find the command. */
  keywords?: readonly string[];
  /** Shown on the right: the kind of the object, or its current value. */
  note?: string;
  /** Equivalent shortcut: `g k`. */
  keys?: string;
  /** Role that the command needs, if any. */
  needs?: MemberRole;
  /** True if the command concerns the whole typed text, so its words need not match. */
  always?: boolean;
  /** True if the command comes after all matches. */
  last?: boolean;
  /** Link to a page. Other commands have `run`, or `stage` if they lack an object. */
  href?: string;
  run?: () => void;
  stage?: Stage;
}
