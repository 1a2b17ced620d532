import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import { removeException } from '@/lib/admin/exception-kind/exception-kind';
import { removeAllowlistEntry as contract } from '@/lib/contract/allowlist';
import { implement } from '@/lib/operation/operation';

export const removeAllowlistEntry = implement(contract, (context, { body }) =>
  removeException(context, ALLOWLIST_ENTRIES, body),
);
