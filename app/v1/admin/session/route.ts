import { whoAmI } from '@/lib/admin/session/who-am-i';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(whoAmI);
