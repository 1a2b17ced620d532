import { listControls as contract } from '@/lib/contract/assessments';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { implement } from '@/lib/operation/operation';

/** The catalogue of controls. */
export const listControls = implement(contract, async () => CONTROLS);
