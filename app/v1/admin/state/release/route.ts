import { releaseFromState } from '@/lib/admin/state/release';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(releaseFromState);
