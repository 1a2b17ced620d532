import { renewRecoveryCodes } from '@/lib/admin/session/second-factor';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(renewRecoveryCodes);
