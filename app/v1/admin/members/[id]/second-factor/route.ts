import { resetSecondFactor } from '@/lib/admin/members/reset-second-factor';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(resetSecondFactor);
