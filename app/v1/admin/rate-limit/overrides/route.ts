import { listOverrides } from '@/lib/admin/operations/list-overrides';
import { putOverride } from '@/lib/admin/operations/put-override';
import { removeOverride } from '@/lib/admin/operations/remove-override';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(
  runtime,
  listOverrides,
  putOverride,
  removeOverride,
);
