import { patient } from '@/components/shell/patient';

/** What calls the lab, fetched with the first call: most tokens are only read. */
export const loadLab = patient(() => import('@/components/oauth/token/call-lab'));
