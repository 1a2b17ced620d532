import { patient } from '@/components/shell/patient';

/** Loads the code that calls the lab at the first call, because most tokens are only read. */
export const loadLab = patient(() => import('@/components/oauth/token/call-lab'));
