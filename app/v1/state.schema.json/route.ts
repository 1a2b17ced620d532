import { readStateSchema } from '@/lib/admin/state/read-schema';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readStateSchema);
