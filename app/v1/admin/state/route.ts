import { applyState } from '@/lib/admin/state/apply';
import { readState } from '@/lib/admin/state/read';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readState, applyState);
