import { changeTier } from '@/lib/admin/keys/change-tier';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(changeTier);
