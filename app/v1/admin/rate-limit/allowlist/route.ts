import { addAllowlistEntry } from '@/lib/admin/operations/add-allowlist-entry';
import { listAllowlist } from '@/lib/admin/operations/list-allowlist';
import { removeAllowlistEntry } from '@/lib/admin/operations/remove-allowlist-entry';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(
  runtime,
  listAllowlist,
  addAllowlistEntry,
  removeAllowlistEntry,
);
