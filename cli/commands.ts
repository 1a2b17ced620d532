import type { CommandDefinition } from '@/cli/command';
import { assess, controls } from '@/cli/commands/assess';
import { exportAudit, verifyAudit } from '@/cli/commands/audit';
import { backup, restore } from '@/cli/commands/backup';
import { completion } from '@/cli/commands/completion';
import { adoptCounters, moveCounters } from '@/cli/commands/counters';
import { tail } from '@/cli/commands/decisions-tail';
import { doctor } from '@/cli/commands/doctor';
import { login, logout } from '@/cli/commands/login';
import { resetOwner } from '@/cli/commands/reset-owner';
import { routesRemove, routesSet, routesTest } from '@/cli/commands/routes';
import { serve } from '@/cli/commands/serve';
import { applyState, planState, pullState } from '@/cli/commands/state';

/** Commands that are not generated, in no particular order. cli/command.ts explains how to add one. */
export const COMMANDS: readonly CommandDefinition[] = [
  adoptCounters,
  applyState,
  assess,
  backup,
  completion,
  controls,
  doctor,
  exportAudit,
  login,
  logout,
  moveCounters,
  planState,
  pullState,
  resetOwner,
  restore,
  routesRemove,
  routesSet,
  routesTest,
  serve,
  tail,
  verifyAudit,
];
