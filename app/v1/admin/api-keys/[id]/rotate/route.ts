import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(rotateApiKey);
