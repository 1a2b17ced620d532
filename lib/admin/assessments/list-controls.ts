import { listControls as contract } from '@/lib/contract/assessments';
import { CONTROLS } from '@/lib/oauth/report/describe-control';
import { implement } from '@/lib/operation/operation';

export const listControls = implement(contract, async () => CONTROLS);
