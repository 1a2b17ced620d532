import type { CommandDefinition } from '@/cli/command';
import { completion } from '@/cli/commands/completion';
import { routesRemove, routesSet, routesTest } from '@/cli/commands/routes';

/** The commands with a form of their own, in no order. cli/command.ts says how to add one. */
export const COMMANDS: readonly CommandDefinition[] = [completion, routesRemove, routesSet, routesTest];
