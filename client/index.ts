/* `sluice/client`. The published package has typed operations, generated from the same contracts
   (lib/openapi/client-types.ts). */
import { defineOperations } from '@/client/operations';
import { Sluice } from '@/client/sluice';

/** Commands from the contracts, inserted when the client is packed (server/client-package.mjs). */
declare const SLUICE_COMMANDS: string;

defineOperations(Sluice.prototype, SLUICE_COMMANDS);

export type { CallOptions, OperationAnswer, OperationCall } from '@/client/call';
export type { CheckAnswer } from '@/client/check-answer';
export type { ClientEvent } from '@/client/client-event';
export { SluiceError } from '@/client/error';
export type { LocalLimit, LocalPolicies } from '@/client/policies';
export type { Reservation, UsedCosts } from '@/client/reservation';
export type { SluiceOptions } from '@/client/sluice';
export type { OnUnreachable, Substitute } from '@/client/unreachable';
export { Sluice };
