import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { route } from '@/lib/process/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  listAllowlist,
  addAllowlistEntry,
  removeAllowlistEntry,
);
