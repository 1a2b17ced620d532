import type { CommandDefinition } from '@/cli/command';
import { completion } from '@/cli/commands/completion';

/** The commands with a form of their own, in no order. cli/command.ts says how to add one. */
export const COMMANDS: readonly CommandDefinition[] = [completion];
