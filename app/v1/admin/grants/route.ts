import { addGrant } from '@/lib/admin/grants/add';
import { listGrants } from '@/lib/admin/grants/list';
import { removeGrant } from '@/lib/admin/grants/remove';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listGrants, addGrant, removeGrant);
