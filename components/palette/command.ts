import type { LucideIcon } from 'lucide-react';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** Asks for the object of an operation that was chosen by its name alone. */
export interface Stage {
  of: 'key' | 'identity';
  /** The operation in words. */
  title: string;
  verb: string;
}

/** A line of the palette. */
export interface Command {
  /** Stable: the recent commands are remembered by it. */
  id: string;
  group: string;
  label: string;
  icon: LucideIcon;
  /** More words that find it. */
  keywords?: readonly string[];
  /** At the right: what it is, or what it has now. */
  note?: string;
  /** The shortcut that does the same: `g k`. */
  keys?: string;
  /** The role that it needs, where not everybody may. */
  needs?: MemberRole;
  /** It is about what was typed as a whole, so its words need not match. */
  always?: boolean;
  /** Stands behind whatever matches by its words. */
  last?: boolean;
  /** A page; else `run`, or `stage` where an object is missing. */
  href?: string;
  run?: () => void;
  stage?: Stage;
}
