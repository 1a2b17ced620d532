import { getApiKey } from '@/lib/admin/keys/get';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { updateApiKey } from '@/lib/admin/keys/update';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(
  runtime,
  getApiKey,
  updateApiKey,
  revokeApiKey,
);
